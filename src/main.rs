fn main() {
    let _ = rigbay::ui::run(rigbay::ui::Options { today: "2026-11-30".to_owned(), open: std::env::args_os().nth(1).map(Into::into), ..Default::default() });
}
