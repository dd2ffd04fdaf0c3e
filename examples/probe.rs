use rigbay::analysis::Effort;
use rigbay::catalog::part::PartId;
use rigbay::project::{Project, edit::Edit};
use rigbay::report::analyze;
fn main() {
    let files = rigbay::catalog::load::embedded_files("");
    let (c, f) = rigbay::catalog::load::load(&files);
    assert!(f.is_empty());
    let mut p = Project::default();
    let rigs: Vec<Vec<&str>> = vec![
        vec![
            "case.phanteks.enthoo-pro-2-server-edition",
            "board.asrock-rack.romed8-2t",
            "cpu.amd.epyc-7443p",
            "cooler.noctua.nh-u14s-tr4-sp3",
            "psu.corsair.ax1600i",
            "ram.kingston.ksm32rd4-64hcr",
            "ram.kingston.ksm32rd4-64hcr",
            "gpu.gigabyte.rtx-3090-turbo",
            "gpu.gigabyte.rtx-3090-turbo",
            "gpu.gigabyte.rtx-3090-turbo",
            "drive.samsung.990-pro-2tb",
            "fan.noctua.nf-a12x25-pwm",
            "fan.noctua.nf-a12x25-pwm",
        ],
        vec![
            "case.fractal-design.torrent",
            "board.asus.proart-x870e-creator-wifi",
            "cpu.amd.ryzen-9-9950x",
            "cooler.noctua.nh-d15",
            "psu.corsair.rm1000e-2025",
            "ram.corsair.cmk64gx5m2b6000c40",
            "gpu.nvidia.rtx-5090-fe",
            "drive.samsung.990-pro-2tb",
            "fan.noctua.nf-a12x25-pwm",
        ],
        vec![
            "case.corsair.carbide-air-540",
            "board.asrock.x399-taichi",
            "cpu.amd.threadripper-2950x",
            "cooler.noctua.nh-u14s-tr4-sp3",
            "psu.corsair.ax1600i",
            "ram.corsair.cmk32gx4m2b3200c16",
            "gpu.asus.rtx-2080-ti-turbo",
            "gpu.asus.rtx-2080-ti-turbo",
            "gpu.asus.rtx-2080-ti-turbo",
            "gpu.asus.rtx-2080-ti-turbo",
        ],
    ];
    for (n, rig) in rigs.iter().enumerate() {
        p = Project::default();
        for id in rig {
            let id = PartId::new(id);
            let slot = rigbay::search::best_slot(&c, &p, &id);
            if slot.is_none() {
                println!("no slot {id}");
            }
            match Edit::place(&id, slot).apply(&c, &p) {
                Ok(q) => p = q,
                Err(e) => println!("{e}"),
            }
        }
        let r = analyze(&c, &p, Effort::Live);
        let d = rigbay::drawing::rig::draw(&c, &p, &r);
        for (t, name) in [(rigbay::drawing::palette::Theme::Dark, "dark"), (rigbay::drawing::palette::Theme::Light, "light")] {
            let svg = rigbay::drawing::svg::svg(&d, t);
            std::fs::write(format!("/tmp/rig{n}-{name}.png"), rigbay::drawing::svg::png(&svg, 1.0).unwrap()).unwrap();
        }
        let t = std::time::Instant::now();
        let full = analyze(&c, &p, Effort::Full);
        println!("full {:?}", t.elapsed());
        let t = std::time::Instant::now();
        let _ = analyze(&c, &p, Effort::Live);
        println!("live {:?}", t.elapsed());
        for f in &full.findings {
            println!(
                "{:?} {:?} {} {}: {} | stake {:?} | {:?}",
                f.verdict,
                f.severity,
                f.rule,
                f.guide.join(","),
                f.message,
                f.stake.as_ref().and_then(|s| s.money.map(|m| m.to_string())),
                f.fixes.iter().map(|x| x.label.clone()).collect::<Vec<_>>()
            );
        }
    }
    let _ = p;
}
