//! The terminal front: the same engine and the same numbers as the page.
//!
//! Exit codes: 0 fine, 1 nothing usable in the input, 2 wrong usage.

mod arguments;
mod input;
mod lint;
mod list;
mod model;
mod predict;
mod quantile;
mod report;
mod samples;
mod serving;

use std::io::Write as _;
use std::process::ExitCode;

/// What a command prints, and whether its input was of any use.
struct Outcome {
    text: String,
    usable: bool,
}

/// A message for the person at the terminal and the exit code it goes with.
struct Failure {
    message: String,
    code: u8,
}

impl Failure {
    fn usage(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: 2 }
    }

    fn unusable(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: 1 }
    }
}

fn main() -> ExitCode {
    let matches = arguments::command().get_matches();
    let outcome = match matches.subcommand() {
        Some(("models", _)) => Ok(list::models()),
        Some(("gpus", _)) => Ok(list::gpus()),
        Some(("lint", sub)) => lint::run(sub),
        Some(("samples", sub)) => samples::run(sub),
        Some(("quantile", sub)) => quantile::run(sub),
        Some(("model", sub)) => model::run(sub),
        Some(("predict", sub)) => predict::run(sub),
        Some(("diff", sub)) => report::diff(sub),
        Some((_, sub)) => report::run(sub),
        None => report::run(&matches),
    };
    match outcome {
        Ok(Outcome { text, usable }) => {
            let mut output = std::io::stdout().lock();
            match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
                // A reader that has seen enough (`| head`) closes the pipe; that is no failure.
                Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
                    eprintln!("decodescope: cannot write: {error}");
                    ExitCode::FAILURE
                }
                _ => ExitCode::from(u8::from(!usable)),
            }
        }
        Err(Failure { message, code }) => {
            eprintln!("decodescope: {message}");
            ExitCode::from(code)
        }
    }
}
