//! `rigbay check`: reported builds described by a few facts, with the verdicts and numbers that their owners found out.

use serde_json::Value;

fn check(text: &str) -> (Vec<Value>, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("cases.json");
    std::fs::write(&path, text).expect("cases are written");
    let arguments = ["rigbay", "check", "--json"].map(std::ffi::OsString::from).into_iter().chain([path.into_os_string()]);
    let (mut out, mut notes) = (Vec::new(), Vec::new());
    let done = rigbay::cli::run(arguments, "2026-11-30", &mut out, &mut notes);
    assert!(matches!(done, rigbay::cli::Outcome::Exit(0)), "{}", String::from_utf8_lossy(&notes));
    let list: Vec<Value> = serde_json::from_slice(&out).expect("a JSON list");
    (list, String::from_utf8_lossy(&notes).into_owned())
}

/// Verdict and severities of a level.
fn level(text: &str) -> (&'static str, &'static [&'static str]) {
    match text {
        "ok" => ("pass", &[]),
        "error" => ("fail", &["blocker"]),
        "warning" => ("fail", &["problem", "advice"]),
        "info" => ("fail", &["note"]),
        other => panic!("{other}"),
    }
}

fn agrees(finding: &Value, numbers: &Value) -> bool {
    numbers.as_object().into_iter().flatten().all(|(key, want)| {
        let got = &finding["numbers"][key];
        match (want.as_f64(), got.as_f64()) {
            (Some(want), Some(got)) => (got - want).abs() <= (want.abs() * 0.002).max(0.05),
            (Some(_), None) => false,
            (None, _) => {
                let list = |v: &Value| v.as_array().map(|l| l.iter().filter_map(Value::as_f64).collect::<Vec<_>>());
                list(want).map_or_else(|| got == want, |w| list(got) == Some(w))
            }
        }
    })
}

#[test]
fn described_builds_get_the_verdicts_that_are_known() {
    let text = include_str!("data/check_cases.json");
    let cases: Vec<Value> = serde_json::from_str(text).expect("cases are JSON");
    assert!(cases.len() > 60);
    let (judged, _) = check(text);
    assert_eq!(judged.len(), cases.len());
    let mut wrong = Vec::new();
    for (case, answer) in cases.iter().zip(&judged) {
        assert_eq!(case["id"], answer["id"]);
        assert!(case["sources"].as_array().is_some_and(|s| !s.is_empty()), "{case} has no source");
        let findings = answer["findings"].as_array().expect("findings");
        for expected in case["expect"].as_array().expect("expectations") {
            let rule = &expected["rule"];
            let (verdict, severities) = level(expected["level"].as_str().expect("a level"));
            let of_rule: Vec<&Value> = findings.iter().filter(|f| f["rule"] == *rule).collect();
            let fits = |f: &Value| {
                let severe = severities.is_empty() || severities.iter().any(|s| f["severity"] == *s);
                f["verdict"] == verdict && severe && agrees(f, &expected["numbers"])
            };
            let clean = verdict != "pass" || of_rule.iter().all(|f| f["verdict"] == "pass");
            if !of_rule.iter().any(|f| fits(f)) || !clean {
                let said: Vec<String> =
                    of_rule.iter().map(|f| format!("{} {} {} {}", f["verdict"], f["severity"], f["message"], f["numbers"])).collect();
                wrong.push(format!("{} {rule} {} {}: {said:#?}", case["id"], expected["level"], expected["numbers"]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_not_understood_is_named_and_the_rest_is_judged() {
    let (judged, notes) =
        check(r#"{"id": "x", "config": {"gpus": [{"name": "RTX 3090", "aura": 9000}], "psu": {"watts": "850 W"}, "moon": 1}}"#);
    assert!(notes.contains("gpus[0].aura") && notes.contains("config.moon"), "{notes}");
    assert_eq!(judged.len(), 1);
    let capacity = judged[0]["findings"].as_array().and_then(|f| f.iter().find(|f| f["rule"] == "psu_capacity")).expect("a finding");
    assert_eq!(capacity["verdict"], "pass");
}

#[test]
fn broken_cases_are_refused_with_a_reason() {
    for text in ["", "[", "[]", "3", "{\"cases\": []}"] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("cases.json");
        std::fs::write(&path, text).expect("cases are written");
        let arguments = ["rigbay", "check"].map(std::ffi::OsString::from).into_iter().chain([path.into_os_string()]);
        let (mut out, mut notes) = (Vec::new(), Vec::new());
        let done = rigbay::cli::run(arguments, "2026-11-30", &mut out, &mut notes);
        assert!(matches!(done, rigbay::cli::Outcome::Exit(2)), "{text}");
        assert!(String::from_utf8_lossy(&notes).contains("cases.json"), "{text}");
    }
}

#[test]
fn odd_cases_do_not_panic() {
    let odd = [
        r#"{"gpus": "", "psu": [], "case": 3, "board": null, "cpu": {}, "ram": [null, 4], "cooler": true, "riser": {}}"#,
        r#"{"gpus": [{"count": 200, "slot": 99}, {"slot": -1}, null], "psus": 99, "hdds": 1000}"#,
        r#"{"gpus": {"name": "RTX 4090", "plugs": {"moon": 2}}, "circuits": [{"volts": 0, "amps": "?"}]}"#,
        r#"{"gpu": "RTX 3090", "m2_used": ["M.2_9"], "sata_used": ["x"], "slots": ["chipset"], "demand_w": -5}"#,
        r#"{"ram": {"gb": 0, "modules": 0}, "cpu": "", "system": 4}"#,
    ];
    let text =
        format!("[{}]", odd.iter().enumerate().map(|(n, c)| format!("{{\"id\": {n}, \"config\": {c}}}")).collect::<Vec<_>>().join(","));
    let (judged, _) = check(&text);
    assert_eq!(judged.len(), odd.len());
}
