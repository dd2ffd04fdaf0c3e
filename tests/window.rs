//! The real program on a display of its own: a card is dragged from the parts panel into the rig with the mouse, saved with the keyboard,
//! and found in the file. Skips with a message where Xvfb or xdotool is missing.
#![cfg(all(feature = "gui", target_os = "linux"))]

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Ends the process with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn missing(tool: &str) -> bool {
    Command::new("which").arg(tool).stdout(Stdio::null()).status().map_or(true, |s| !s.success())
}

/// Starts Xvfb on a display that it chooses itself.
fn display() -> (Running, String) {
    let mut server = Command::new("Xvfb")
        .args(["-displayfd", "1", "-screen", "0", "1440x900x24", "-nolisten", "tcp"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("Xvfb starts");
    let mut line = String::new();
    BufReader::new(server.stdout.take().expect("a pipe")).read_line(&mut line).expect("a display number");
    (Running(server), format!(":{}", line.trim()))
}

fn program(display: &str, home: &Path, rig: &Path) -> Running {
    let program = Command::new(env!("CARGO_BIN_EXE_rigbay"))
        .args(["open".as_ref(), rig.as_os_str()])
        .env("DISPLAY", display)
        .env_remove("WAYLAND_DISPLAY")
        .env("WINIT_X11_SCALE_FACTOR", "1")
        .env("HOME", home)
        .env("XDG_DATA_HOME", home)
        .env("XDG_CONFIG_HOME", home)
        .env("XDG_RUNTIME_DIR", home)
        .stderr(Stdio::null())
        .spawn();
    Running(program.expect("the program starts"))
}

fn xdotool(display: &str, command: &str) -> String {
    let out = Command::new("xdotool").args(command.split(' ')).env("DISPLAY", display).output().expect("xdotool runs");
    String::from_utf8_lossy(&out.stdout).trim().to_owned()
}

/// Asks until there is an answer, for at most a minute: a debug build on a software renderer is slow.
fn wait_for<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(start.elapsed() < Duration::from_secs(60), "waited a minute for {what}");
        std::thread::sleep(Duration::from_millis(200));
    }
}

fn pieces(rig: &Path) -> usize {
    let text = std::fs::read_to_string(rig).expect("the rig file is there");
    text.lines().filter(|l| l.starts_with('p') && l.contains("part = ")).count()
}

#[test]
fn a_card_dragged_with_the_mouse_is_in_the_saved_file() {
    if missing("Xvfb") || missing("xdotool") {
        eprintln!("skipped: Xvfb or xdotool is missing (packaging/check installs them)");
        return;
    }
    let home = tempfile::tempdir().expect("a temporary folder");
    let rig = home.path().join("rig.toml");
    std::fs::copy("assets/presets/1-guide-2018-one-card.toml", &rig).expect("the example is there");
    let before = pieces(&rig);
    let (_server, display) = display();
    let _program = program(&display, home.path(), &rig);
    let window = wait_for("the window", || {
        let found = xdotool(&display, "search --onlyvisible --name Rigbay");
        found.lines().next().map(str::to_owned).filter(|w| !w.is_empty())
    });
    xdotool(&display, &format!("windowmove {window} 0 0 windowsize {window} 1440 900"));
    xdotool(&display, &format!("windowfocus {window}"));
    let saved = wait_for("the card in the saved file", || {
        // The first frames may still be on their way: try the whole gesture again until it arrives.
        std::thread::sleep(Duration::from_secs(4));
        xdotool(&display, "mousemove 130 440 mousedown 1");
        for at in ["200 430", "400 420", "555 400", "560 385", "562 380"] {
            std::thread::sleep(Duration::from_millis(400));
            xdotool(&display, &format!("mousemove {at}"));
        }
        std::thread::sleep(Duration::from_secs(2));
        xdotool(&display, "mouseup 1");
        std::thread::sleep(Duration::from_secs(2));
        xdotool(&display, "key ctrl+s");
        std::thread::sleep(Duration::from_secs(2));
        Some(pieces(&rig)).filter(|now| *now > before)
    });
    assert!(saved > before);
    assert!(std::fs::read_to_string(&rig).expect("readable").contains("made_with"), "saved by the program itself");
}
