//! The language of board rules: conditions over filled connectors, processor, BIOS choices and the second socket. Labels are quoted, so that
//! dots and brackets in them do not clash with operators: `used("M.2").pcie & cpu.rule_lanes == 28 | !cpu2`.

use std::sync::Arc;

/// A condition.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    All(Vec<Self>),
    Any(Vec<Self>),
    Not(Box<Self>),
    Test(Test),
}

/// What a condition asks.
#[derive(Clone, Debug, PartialEq)]
pub enum Test {
    /// A connector is filled, by a device of this sort.
    Used(Arc<str>, Aspect),
    CpuLanes(Cmp, u16),
    CpuGeneration(bool, Arc<str>),
    CpuApu(bool, Arc<str>),
    /// The second processor is fitted.
    Cpu2,
    /// An option of the board's BIOS or jumpers is in force.
    Bios(Arc<str>),
    /// Number of filled slots.
    Count(Cmp, u16),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aspect {
    Any,
    Pcie,
    Sata,
    Lanes(Cmp, u16),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cmp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl Cmp {
    pub fn holds(self, left: u16, right: u16) -> bool {
        match self {
            Self::Eq => left == right,
            Self::Ne => left != right,
            Self::Lt => left < right,
            Self::Le => left <= right,
            Self::Gt => left > right,
            Self::Ge => left >= right,
        }
    }
}

impl Expr {
    /// Reads a condition.
    ///
    /// # Errors
    /// What is wrong, at which place.
    pub fn parse(text: &str) -> Result<Self, String> {
        let tokens = tokens(text)?;
        let mut reader = Reader { tokens: &tokens, at: 0 };
        let expr = reader.any()?;
        match reader.peek() {
            None => Ok(expr),
            Some(token) => Err(format!("{} is more than the condition needs", token.text())),
        }
    }

    /// Every test, in order.
    pub fn tests(&self) -> Vec<&Test> {
        match self {
            Self::All(list) | Self::Any(list) => list.iter().flat_map(Self::tests).collect(),
            Self::Not(inner) => inner.tests(),
            Self::Test(test) => vec![test],
        }
    }

    /// Truth by Kleene's three-valued logic; `ask` answers one test, `None` = unknown.
    pub fn holds(&self, ask: &dyn Fn(&Test) -> Option<bool>) -> Option<bool> {
        match self {
            Self::Test(test) => ask(test),
            Self::Not(inner) => inner.holds(ask).map(|b| !b),
            Self::All(list) => decided(list, ask, false),
            Self::Any(list) => decided(list, ask, true),
        }
    }
}

/// One member with the deciding value decides; an unknown one leaves it open.
fn decided(list: &[Expr], ask: &dyn Fn(&Test) -> Option<bool>, deciding: bool) -> Option<bool> {
    let mut open = false;
    for expr in list {
        match expr.holds(ask) {
            Some(value) if value == deciding => return Some(deciding),
            Some(_) => {}
            None => open = true,
        }
    }
    if open { None } else { Some(!deciding) }
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Word(String),
    Label(String),
    Number(u16),
    Sign(char),
    Cmp(Cmp),
}

impl Token {
    fn text(&self) -> String {
        match self {
            Self::Word(word) => word.clone(),
            Self::Label(label) => format!("\"{label}\""),
            Self::Number(number) => number.to_string(),
            Self::Sign(sign) => sign.to_string(),
            Self::Cmp(_) => "a comparison".to_owned(),
        }
    }
}

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut out = Vec::new();
    let mut rest = text.chars().peekable();
    while let Some(&c) = rest.peek() {
        match c {
            ' ' | '\t' | '\n' => {
                rest.next();
            }
            '"' => {
                rest.next();
                let label: String = rest.by_ref().take_while(|c| *c != '"').collect();
                if label.is_empty() || !text.contains(&format!("\"{label}\"")) {
                    return Err("a label lacks its closing quote or is empty".to_owned());
                }
                out.push(Token::Label(label));
            }
            '=' | '!' | '<' | '>' => {
                rest.next();
                let equal = rest.next_if_eq(&'=').is_some();
                out.push(match (c, equal) {
                    ('=', true) => Token::Cmp(Cmp::Eq),
                    ('!', true) => Token::Cmp(Cmp::Ne),
                    ('<', true) => Token::Cmp(Cmp::Le),
                    ('<', false) => Token::Cmp(Cmp::Lt),
                    ('>', true) => Token::Cmp(Cmp::Ge),
                    ('>', false) => Token::Cmp(Cmp::Gt),
                    ('!', false) => Token::Sign('!'),
                    _ => return Err("write == for a comparison".to_owned()),
                });
            }
            '&' | '|' | '(' | ')' | '.' => {
                rest.next();
                out.push(Token::Sign(c));
            }
            _ if c.is_ascii_digit() => {
                let mut digits = String::new();
                while let Some(d) = rest.next_if(char::is_ascii_digit) {
                    digits.push(d);
                }
                out.push(Token::Number(digits.parse().map_err(|_| format!("{digits} is no number of lanes"))?));
            }
            _ if c.is_ascii_alphabetic() => {
                let mut word = String::new();
                while let Some(w) = rest.next_if(|c| c.is_ascii_alphanumeric() || *c == '_') {
                    word.push(w);
                }
                out.push(Token::Word(word));
            }
            _ => return Err(format!("{c:?} has no meaning in a condition")),
        }
    }
    Ok(out)
}

struct Reader<'t> {
    tokens: &'t [Token],
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }
    fn next(&mut self) -> Option<Token> {
        let token = self.tokens.get(self.at).cloned();
        self.at += 1;
        token
    }
    fn take(&mut self, sign: char) -> bool {
        let found = self.peek() == Some(&Token::Sign(sign));
        self.at += usize::from(found);
        found
    }
    fn need(&mut self, sign: char) -> Result<(), String> {
        if self.take(sign) { Ok(()) } else { Err(format!("{sign:?} is missing")) }
    }

    fn any(&mut self) -> Result<Expr, String> {
        let mut list = vec![self.all()?];
        while self.take('|') {
            list.push(self.all()?);
        }
        Ok(single(list, Expr::Any))
    }

    fn all(&mut self) -> Result<Expr, String> {
        let mut list = vec![self.not()?];
        while self.take('&') {
            list.push(self.not()?);
        }
        Ok(single(list, Expr::All))
    }

    fn not(&mut self) -> Result<Expr, String> {
        if self.take('!') {
            return Ok(Expr::Not(Box::new(self.not()?)));
        }
        if self.take('(') {
            let inner = self.any()?;
            self.need(')')?;
            return Ok(inner);
        }
        self.test().map(Expr::Test)
    }

    fn test(&mut self) -> Result<Test, String> {
        match self.next() {
            Some(Token::Word(word)) => match word.as_str() {
                "used" => self.used(),
                "bios" => self.label_in_brackets().map(Test::Bios),
                "count" => self.count(),
                "cpu2" => Ok(Test::Cpu2),
                "cpu" => self.cpu(),
                _ => Err(format!("{word} is no test. Write used(\"LABEL\"), bios(\"OPTION\"), cpu.FIELD, cpu2 or count(slots)")),
            },
            Some(token) => Err(format!("{} is no test", token.text())),
            None => Err("the condition ends too early".to_owned()),
        }
    }

    fn label_in_brackets(&mut self) -> Result<Arc<str>, String> {
        self.need('(')?;
        let Some(Token::Label(label)) = self.next() else { return Err("a label in quotes is missing".to_owned()) };
        self.need(')')?;
        Ok(label.into())
    }

    fn used(&mut self) -> Result<Test, String> {
        let label = self.label_in_brackets()?;
        if !self.take('.') {
            return Ok(Test::Used(label, Aspect::Any));
        }
        let aspect = match self.next() {
            Some(Token::Word(w)) if w == "pcie" => Aspect::Pcie,
            Some(Token::Word(w)) if w == "sata" => Aspect::Sata,
            Some(Token::Word(w)) if w == "lanes" => {
                let (cmp, lanes) = self.number()?;
                Aspect::Lanes(cmp, lanes)
            }
            _ => return Err("after the dot, write pcie, sata or lanes".to_owned()),
        };
        Ok(Test::Used(label, aspect))
    }

    fn count(&mut self) -> Result<Test, String> {
        self.need('(')?;
        let is_slots = matches!(self.next(), Some(Token::Word(w)) if w == "slots");
        if !is_slots {
            return Err("only count(slots) is known".to_owned());
        }
        self.need(')')?;
        let (cmp, n) = self.number()?;
        Ok(Test::Count(cmp, n))
    }

    fn cpu(&mut self) -> Result<Test, String> {
        self.need('.')?;
        match self.next() {
            Some(Token::Word(w)) if w == "rule_lanes" => {
                let (cmp, n) = self.number()?;
                Ok(Test::CpuLanes(cmp, n))
            }
            Some(Token::Word(w)) if w == "generation" => self.text().map(|(equal, t)| Test::CpuGeneration(equal, t)),
            Some(Token::Word(w)) if w == "apu" => self.text().map(|(equal, t)| Test::CpuApu(equal, t)),
            _ => Err("of a CPU, ask rule_lanes, generation or apu".to_owned()),
        }
    }

    fn number(&mut self) -> Result<(Cmp, u16), String> {
        match (self.next(), self.next()) {
            (Some(Token::Cmp(cmp)), Some(Token::Number(n))) => Ok((cmp, n)),
            _ => Err("a comparison with a number is missing".to_owned()),
        }
    }

    /// Whether equal is asked, and the text.
    fn text(&mut self) -> Result<(bool, Arc<str>), String> {
        match (self.next(), self.next()) {
            (Some(Token::Cmp(Cmp::Eq)), Some(Token::Label(text))) => Ok((true, text.into())),
            (Some(Token::Cmp(Cmp::Ne)), Some(Token::Label(text))) => Ok((false, text.into())),
            _ => Err("write == or != and a text in quotes".to_owned()),
        }
    }
}

fn single(mut list: Vec<Expr>, many: fn(Vec<Expr>) -> Expr) -> Expr {
    match list.pop() {
        Some(only) if list.is_empty() => only,
        Some(last) => {
            list.push(last);
            many(list)
        }
        None => many(list),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn truth(text: &str, yes: &[&str], open: &[&str]) -> Option<bool> {
        let ask = |test: &Test| match test {
            Test::Used(label, Aspect::Any) if open.contains(&&**label) => None,
            Test::Used(label, _) => Some(yes.contains(&&**label)),
            Test::CpuLanes(cmp, n) => Some(cmp.holds(28, *n)),
            Test::CpuGeneration(equal, text) => Some((&**text == "zen+") == *equal),
            Test::CpuApu(equal, text) => Some((&**text == "none") == *equal),
            Test::Cpu2 => Some(yes.contains(&"cpu2")),
            Test::Bios(option) => Some(yes.contains(&&**option)),
            Test::Count(cmp, n) => Some(cmp.holds(yes.len() as u16, *n)),
        };
        Expr::parse(text).unwrap().holds(&ask)
    }

    #[test]
    fn conditions_with_awkward_labels() {
        for (text, yes, wanted) in [
            (r#"used("M.2")"#, &["M.2"][..], true),
            (r#"used("PCIEX16(G5)_2") | used("PCIE_X8/X4_4")"#, &["PCIE_X8/X4_4"], true),
            (r#"used("A") & used("B")"#, &["A"], false),
            (r#"!cpu2"#, &[], true),
            (r#"cpu.rule_lanes == 28 & !used("M2_3")"#, &[], true),
            (r#"cpu.rule_lanes >= 44"#, &[], false),
            (r#"used("A") | used("B") & used("C")"#, &["A"], true),
            (r#"(used("A") | used("B")) & used("C")"#, &["A"], false),
            (r#"count(slots) > 4"#, &["1", "2", "3", "4", "5"], true),
            (r#"bios("slot4_x4")"#, &["slot4_x4"], true),
            (r#"cpu.generation == "zen+" & cpu.apu != "Vega""#, &[], true),
        ] {
            assert_eq!(truth(text, yes, &[]), Some(wanted), "{text}");
        }
    }

    #[test]
    fn an_unknown_test_leaves_open_only_what_it_decides() {
        assert_eq!(truth(r#"used("X") & used("A")"#, &[], &["X"]), Some(false));
        assert_eq!(truth(r#"used("X") | used("A")"#, &["A"], &["X"]), Some(true));
        assert_eq!(truth(r#"used("X") & used("A")"#, &["A"], &["X"]), None);
        assert_eq!(truth(r#"!used("X")"#, &[], &["X"]), None);
    }

    #[test]
    fn wrong_conditions_are_refused() {
        for text in [
            "",
            "used",
            "used(M.2)",
            "used(\"M.2\"",
            "used(\"M.2\").x",
            "cpu.lanes == 28",
            "used(\"A\") used(\"B\")",
            "a = b",
            "count(m2) > 1",
            "cpu.rule_lanes == x",
            "(used(\"A\")",
            "used(\"A",
            "used(\"\")",
            "cpu.apu < \"4000\"",
            "99999 == cpu2",
            "§",
        ] {
            assert!(Expr::parse(text).is_err(), "{text}");
        }
    }
}
