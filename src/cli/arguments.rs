//! The command line. Every field of a scenario is an option, made from the one table of fields.

use clap::{Arg, ArgAction, ArgMatches, Command, builder::PossibleValuesParser};
use decodescope::scenario::{EstimateChoice, Field, Group};

const EXAMPLES: &str = "\
Examples:
  curl -s localhost:8000/metrics | decodescope
  decodescope report --example
  decodescope diff before.txt after.txt --gpu h100-sxm
  decodescope report metrics.txt --model glm-5 --gpu rtx-pro-6000 --gpus 8 --format json
  decodescope report --model llama-3.1-70b --gpu h100-sxm --gpus 4 --itl 12.5
  decodescope model config.json --tp 8 --quantisation fp8 --gpu h100-sxm
  decodescope predict glm-5 --quantisation nvfp4-experts --gpu rtx-pro-6000 --tp 8

Exit codes: 0 fine, 1 nothing usable in the input, 2 wrong usage.";

/// The whole command line.
pub fn command() -> Command {
    let report = with_report_arguments(with_dumps(
        Command::new("report").about("Read a /metrics dump and report where each token's time goes"),
    ));
    let scrapes = Arg::new("files").value_name("FILE").num_args(1..).required(true);
    let diff = with_report_arguments(
        Command::new("diff")
            .about("Report on what happened between scrapes of one server, warm-up and older traffic left out")
            .arg(scrapes.help("Two scrapes or more, in order; or one file that holds them all")),
    );
    with_report_arguments(with_dumps(Command::new("decodescope")))
        .about("Where does each decoded token's time go, and how fast could it be?")
        .version(env!("CARGO_PKG_VERSION"))
        .after_help(EXAMPLES)
        .args_conflicts_with_subcommands(true)
        .disable_help_subcommand(true)
        .subcommand(report.after_help(EXAMPLES))
        .subcommand(diff)
        .subcommand(
            Command::new("lint")
                .about("Say whether a text is valid metrics, where not, and who would refuse it")
                .arg(file())
                .arg(
                    option("strict", "Exit by the specification's verdict, not the tolerant reader's")
                        .action(ArgAction::SetTrue),
                )
                .arg(
                    option("openmetrics", "Judge as OpenMetrics 1.0 instead of Prometheus text 0.0.4")
                        .action(ArgAction::SetTrue),
                )
                .arg(text_or_json()),
        )
        .subcommand(Command::new("samples").about("Print every sample that was read").arg(file()).arg(text_or_json()))
        .subcommand(
            Command::new("quantile")
                .about(
                    "Quantiles of every histogram: as Prometheus gives them, and the bounds that counts and sum allow",
                )
                .arg(file())
                .arg(option("metric", "Only metrics whose name contains this").value_name("TEXT"))
                .arg(
                    option("quantiles", "Quantiles from 0 to 1")
                        .short('q')
                        .value_name("Q")
                        .value_delimiter(',')
                        .default_value("0.5,0.9,0.99")
                        .value_parser(|text: &str| match text.parse::<f64>() {
                            Ok(q) if (0.0..=1.0).contains(&q) => Ok(q),
                            _ => Err("expected a number from 0 to 1"),
                        }),
                )
                .arg(text_or_json()),
        )
        .subcommand(crate::model::command())
        .subcommand(crate::predict::command())
        .subcommand(Command::new("models").about("List the models known, with their parameters"))
        .subcommand(Command::new("gpus").about("List the GPUs known, with memory and bandwidth"))
}

/// The option's name of a field: `--tensor-parallel`, with the link's key (`--tp`) as its alias.
pub fn field_id(field: Field) -> String {
    serde_json::to_value(field).ok().and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default()
}

fn with_dumps(command: Command) -> Command {
    command
        .arg(
            Arg::new("files")
                .value_name("FILE")
                .num_args(0..)
                .help("Dumps to read; standard input when none is given, or for -. Several are several servers"),
        )
        .arg(option("example", "Report on the worked example").action(ArgAction::SetTrue).conflicts_with("files"))
}

fn with_report_arguments(command: Command) -> Command {
    let command = command
        .arg(
            option("format", "How to print the report")
                .value_parser(["text", "markdown", "json"])
                .default_value("text")
                .short('f'),
        )
        .arg(option("link", "Print only the link's part after #, for the page").action(ArgAction::SetTrue))
        .arg(
            option("model", "A model's id (see decodescope models), or the path of its config.json or GGUF file")
                .value_name("MODEL"),
        )
        .arg(option("gpu", "A GPU's id (see decodescope gpus)").value_name("GPU").conflicts_with("own-gpu"))
        .arg(own_gpu())
        .arg(option("served-model", "Look only at this model_name of the dump").value_name("NAME"))
        .arg(option("engine", "Look only at this engine of the dump").value_name("N"))
        .arg(
            option("estimate", "Which estimate of the allreduce the budget uses")
                .value_parser(PossibleValuesParser::new(EstimateChoice::ALL.map(EstimateChoice::key))),
        );
    Field::ALL.iter().fold(command, |command, &field| command.arg(field_argument(field)))
}

/// The file that a command of one text reads; `-` is standard input.
pub fn file_name(matches: &ArgMatches) -> &str {
    matches.get_one::<String>("file").map_or("-", String::as_str)
}

/// Whether the result is for a program.
pub fn wants_json(matches: &ArgMatches) -> bool {
    matches.get_one::<String>("format").is_some_and(|format| format == "json")
}

fn file() -> Arg {
    Arg::new("file").value_name("FILE").help("The text to read; standard input when none is given, or for -")
}

fn text_or_json() -> Arg {
    option("format", "How to print it").short('f').value_parser(["text", "json"]).default_value("text")
}

fn option(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).help(help)
}

/// The option that names a GPU which no list has.
pub fn own_gpu() -> Arg {
    option("own-gpu", "A GPU that no list has, by its name; say what it can with --bandwidth, --memory, --matrix-rate")
        .value_name("NAME")
}

/// The option that sets a field by hand.
pub fn field_argument(field: Field) -> Arg {
    let spec = field.spec();
    let name = field_id(field);
    let unit = if spec.unit.is_empty() || spec.unit == "×" { "N" } else { spec.unit };
    let mut argument = Arg::new(name.clone())
        .long(name.clone())
        .value_name(unit)
        .help(spec.help)
        .help_heading(heading(spec.group))
        .allow_negative_numbers(true)
        .value_parser(move |text: &str| spec.parse(text));
    if spec.key != name {
        argument = argument.visible_alias(spec.key);
    }
    argument
}

fn heading(group: Group) -> &'static str {
    match group {
        Group::Measurement => "Measurement",
        Group::Model => "Model",
        Group::Hardware => "Hardware",
        Group::Allreduce => "Allreduce",
        Group::WhatIf => "What if",
    }
}
