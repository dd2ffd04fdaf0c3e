//! Closed vocabularies that several kinds of part share. A value outside them is an error in the file, never a free text.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Declares an enum whose variants have one spelling in files, reports and on the screen.
macro_rules! vocabulary {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        pub enum $name { $($(#[$vdoc])* #[serde(rename = $text)] $variant,)+ }

        impl $name {
            /// Every value, in the order of declaration.
            pub const ALL: &[Self] = &[$(Self::$variant,)+];

            /// The spelling used in files and on the screen.
            pub const fn text(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.text())
            }
        }
    };
}

vocabulary! {
    /// A CPU socket. `TR4` is also sold as sTR4; `LGA2011` and `LGA2011-3` differ electrically but share cooler holes.
    Socket {
        Lga1151 = "LGA1151", Lga1200 = "LGA1200", Lga1700 = "LGA1700", Lga1851 = "LGA1851",
        Lga1150 = "LGA1150", Lga1155 = "LGA1155", Lga1156 = "LGA1156", Lga1366 = "LGA1366", Lga775 = "LGA775",
        Lga2011 = "LGA2011", Lga2011v3 = "LGA2011-3", Lga2066 = "LGA2066", Lga3647 = "LGA3647", Lga4189 = "LGA4189",
        Lga4677 = "LGA4677", Lga4710 = "LGA4710", Am2 = "AM2", Am3 = "AM3+", Fm2 = "FM2+", Am4 = "AM4", Am5 = "AM5", Tr4 = "TR4", Strx4 = "sTRX4", Swrx8 = "sWRX8",
        Str5 = "sTR5", Sp3 = "SP3", Sp5 = "SP5", Sp6 = "SP6",
    }
}

vocabulary! {
    /// A board's outline, or one that a case accepts.
    FormFactor {
        MiniItx = "Mini-ITX", MiniDtx = "Mini-DTX", MicroAtx = "Micro-ATX", Atx = "ATX", Ceb = "SSI-CEB",
        /// Up to about 277 mm deep, as desktop boards of the E-ATX class are.
        Eatx = "E-ATX",
        /// 330 mm deep.
        Eeb = "SSI-EEB",
        EeAtx = "EE-ATX", XlAtx = "XL-ATX", Proprietary = "proprietary",
    }
}

vocabulary! {
    /// Generation of main memory.
    MemoryType { Ddr3 = "DDR3", Ddr4 = "DDR4", Ddr5 = "DDR5", }
}

vocabulary! {
    /// Build of a memory module. A registered module does not run in a board for unbuffered ones, nor the reverse.
    ModuleType { Udimm = "UDIMM", EccUdimm = "ECC UDIMM", Cudimm = "CUDIMM", Rdimm = "RDIMM", Lrdimm = "LRDIMM", Sodimm = "SODIMM", }
}

vocabulary! {
    /// A power plug, by what the supply's lead carries.
    Plug {
        Pcie6 = "PCIe 6-pin", Pcie8 = "PCIe 8-pin", Hpwr16 = "12VHPWR", Hpwr2x6 = "12V-2x6", Eps8 = "EPS 8-pin", Sata = "SATA power",
    }
}

vocabulary! {
    /// How a graphics card gets rid of its heat.
    GpuCooler {
        Blower = "blower", OpenAir = "open-air", FlowThrough = "flow-through", Passive = "passive", Hybrid = "liquid with radiator", Water = "water block",
    }
}

vocabulary! {
    /// Whether a GPU is a card for a slot. Only `card` can be placed; the rest are known to the model replay alone.
    GpuForm { Card = "card", Sxm = "SXM", Oam = "OAM", Mxm = "MXM", Soc = "system on chip", }
}

vocabulary! {
    /// Maker of a GPU chip.
    GpuVendor { Nvidia = "NVIDIA", Amd = "AMD", Intel = "Intel", Other = "other", }
}

vocabulary! {
    /// What a connector on a board or card is for.
    ConnectorKind {
        Pcie = "pcie", M2 = "m2", U2 = "u2", Oculink = "oculink", SlimSas = "slimsas", Mcio = "mcio", Sata = "sata",
    }
}

vocabulary! {
    /// Body of a drive.
    DriveForm { M2_2230 = "M.2-2230", M2_2242 = "M.2-2242", M2_2280 = "M.2-2280", M2_22110 = "M.2-22110", Inch25 = "2.5-inch", U2 = "U.2", E1s = "E1.S", E3s = "E3.S", Inch35 = "3.5-inch", AddIn = "card", }
}

vocabulary! {
    /// Bus of a drive.
    DriveBus { Nvme = "NVMe", Sata = "SATA", Sas = "SAS", }
}

vocabulary! {
    /// How a supply divides its 12 V output: one rail, or several that each switch off at a limit of their own.
    Rails { Single = "single", Several = "several", }
}

vocabulary! {
    /// 80 PLUS certificate of a supply.
    Efficiency { White = "White", Bronze = "Bronze", Silver = "Silver", Gold = "Gold", Platinum = "Platinum", Titanium = "Titanium", }
}

vocabulary! {
    /// Body of a power supply.
    PsuForm { Atx = "ATX", Sfx = "SFX", SfxL = "SFX-L", Flex = "Flex", Crps = "CRPS", Server = "server", }
}

vocabulary! {
    /// Build of a CPU cooler.
    CoolerKind { Tower = "air tower", DualTower = "air dual tower", LowProfile = "low profile", Server = "server", Aio = "liquid with radiator", Block = "water block", }
}

vocabulary! {
    /// Build of a case.
    CaseKind { Tower = "tower", Cube = "cube", SmallFormFactor = "small form factor", Rack4u = "4U rack", Rack = "rack", OpenFrame = "open frame", Bench = "test bench", }
}

vocabulary! {
    /// Side of a case where a fan or radiator is mounted.
    Edge { Front = "front", Rear = "rear", Top = "top", Bottom = "bottom", Side = "side", Internal = "internal", }
}

vocabulary! {
    /// How far a fact can be trusted, best first.
    Confidence {
        /// The maker's page or data sheet.
        Maker = "maker",
        /// The manual.
        Manual = "manual",
        /// Measured by somebody who says how.
        Measured = "measured",
        /// A database or a shop's record.
        Database = "database",
        /// Somebody's informed opinion.
        Judgement = "judgement",
        /// A template or a guess; drawn dashed.
        Assumed = "assumed",
    }
}

vocabulary! {
    /// What a price is.
    PriceKind { Launch = "launch", List = "list", StreetNew = "street new", StreetUsed = "street used", User = "your price", }
}

vocabulary! {
    /// Whether a part can be bought.
    Sale { New = "sold new", UsedOnly = "used only", Ended = "ended", Announced = "announced", }
}

vocabulary! {
    /// What to expect of a part's availability in two years.
    Outlook { Likely = "likely sold new", Uncertain = "uncertain", UsedOnly = "used only", Gone = "hard to find", }
}

impl Socket {
    /// Intel's sockets are named by their lands, AMD's are not.
    pub fn is_intel(self) -> bool {
        self.text().starts_with("LGA")
    }
    /// Whether a cooler made for `self` bolts onto `board`: identical, or one of the pairs that share their hole pattern.
    ///
    /// LGA2011 and LGA2011-3 square ILM, LGA1150/1151/1155/1200, and TR4, sTRX4, sWRX8, SP3 share holes (Noctua's socket compatibility list,
    /// <https://noctua.at/en/support>).
    pub fn cooler_fits(self, board: Self) -> bool {
        const SAME: &[&[Socket]] = &[
            &[Socket::Lga2011, Socket::Lga2011v3, Socket::Lga2066],
            &[Socket::Lga1150, Socket::Lga1151, Socket::Lga1155, Socket::Lga1200],
            &[Socket::Lga1700, Socket::Lga1851],
            &[Socket::Am4, Socket::Am5],
            &[Socket::Tr4, Socket::Strx4, Socket::Swrx8, Socket::Sp3],
            &[Socket::Str5, Socket::Sp6],
        ];
        self == board || SAME.iter().any(|group| group.contains(&self) && group.contains(&board))
    }
}

impl ModuleType {
    /// Registered or load-reduced.
    pub const fn is_registered(self) -> bool {
        matches!(self, Self::Rdimm | Self::Lrdimm)
    }
}
