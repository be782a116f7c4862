//! Running the terminal's binary.

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

/// Runs it with these arguments and this standard input.
pub fn run(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_decodescope"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that refuses its arguments never reads its input.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

/// Runs it for JSON.
pub fn json(arguments: &[&str], input: &str) -> serde_json::Value {
    let output = run(&[arguments, &["--format", "json"]].concat(), input);
    let printed = || String::from_utf8_lossy(&output.stderr).into_owned();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", printed()))
}
