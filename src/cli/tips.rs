//! Tips after a wrong option or command: the option that has the meaning, and the commands that have the option.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use sky_accel_core::text::list_and;
use sky_accel_engine::Engine;

/// Options that people type, each with the option that has its meaning.
const MEANT: &[(&str, &str)] = &[
    ("quant", "precision"),
    ("quantization", "precision"),
    ("quantize", "precision"),
    ("dtype", "precision"),
    ("weights", "precision"),
    ("fits", "on"),
    ("gpu", "on"),
    ("hardware", "on"),
    ("accelerator", "on"),
    ("fabric", "interconnect"),
    ("infiniband", "interconnect infiniband"),
    ("network", "interconnect"),
    ("task", "workload"),
    ("mode", "workload"),
    ("lora", "workload lora"),
    ("qlora", "workload qlora"),
    ("training", "workload full"),
    ("pretrain", "workload pretrain"),
    ("spot", "capacity-type spot"),
    ("on-demand", "capacity-type on-demand"),
    ("reserved", "commit 1y"),
    ("reservation", "commit 1y"),
    ("commitment", "commit"),
    ("monthly", "month"),
    ("yearly", "year"),
    ("by-region", "map"),
    ("cloud", "provider"),
    ("clouds", "provider"),
    ("providers", "provider"),
    ("regions", "region"),
    ("ctx", "context"),
    ("context-length", "context"),
    ("max-model-len", "max-context"),
    ("qps", "request-rate"),
    ("rps", "request-rate"),
    ("rate", "request-rate"),
    ("batch-size", "batch"),
    ("concurrent", "users"),
    ("replicas", "nodes"),
    ("tp", "tensor-parallel"),
    ("tensor-parallel-size", "tensor-parallel"),
    ("pp", "pipeline-parallel"),
    ("pipeline-parallel-size", "pipeline-parallel"),
    ("cost", "max-price"),
    ("cheapest", "limit 1"),
    ("format", "output"),
    ("json", "output json"),
    ("csv", "output csv"),
    ("group", "group-by"),
    ("memory", "min-memory"),
    ("vcpu", "min-vcpu"),
    ("cpus", "min-vcpu"),
    ("ram", "min-host-memory"),
    ("host-memory", "min-host-memory"),
    ("vram", "min-memory"),
    ("target", "to"),
    ("country", "region"),
    ("location", "region"),
    ("eu", "region EU"),
    ("seq-len", "context"),
    ("sequence-length", "context"),
    ("max-seq-len", "max-context"),
    ("kv-cache", "kv-precision"),
    ("kv-cache-dtype", "kv-precision"),
    ("fp8", "precision fp8"),
    ("awq", "precision awq"),
];

/// Options that people type, each with the part of a spec that has its meaning.
const MEANT_IN_SPECS: &[(&str, &str)] = &[
    ("count", "a spec has the number of devices: H100:x8"),
    ("gpus", "a spec has the number of devices: H100:x8"),
    ("num-gpus", "a spec has the number of devices: H100:x8"),
    ("gpu-count", "a spec has the number of devices: H100:x8"),
    ("fp8", "a spec has the compute capability: cc>=8.9"),
    ("vram", "a spec has the memory of a device: any:80GB+"),
];

/// Options that people type with any command, each with the command and its option that have the meaning.
const MEANT_OF_COMMANDS: &[(&str, &str)] = &[("fits", "models --on")];

/// Commands that people type, each with the command that has its meaning.
const MEANT_COMMANDS: &[(&str, &str)] = &[
    ("cheapest", "resolve"),
    ("cost", "bill"),
    ("deploy", "plan"),
    ("find", "resolve"),
    ("finetune", "recommend MODEL --workload lora"),
    ("fine-tune", "recommend MODEL --workload lora"),
    ("gpus", "list"),
    ("launch", "plan"),
    ("price", "prices"),
    ("providers", "show"),
    ("rent", "resolve"),
    ("search", "resolve"),
    ("serve", "recommend"),
    ("size", "fit"),
    ("train", "recommend MODEL --workload full"),
];

/// The tip for a quoted question.
const SENTENCE: &str = "a question is a command with options, not a sentence: `sky-accel recommend Qwen3-32B --users 20`, `sky-accel fit 4090 Qwen3-32B`, `sky-accel models --on 4090`; `sky-accel help` lists the commands";

/// The first words of questions without quotes.
const QUESTION_WORDS: [&str; 10] = [
    "what", "which", "how", "where", "when", "why", "can", "could", "should", "i",
];

/// The ids of arguments that are specs.
const SPEC_ARGUMENTS: [&str; 3] = ["spec", "specs", "filters"];

/// The maximum number of commands in a tip.
const MOST_COMMANDS: usize = 6;

/// Adds a tip to an error about an unknown option or command, in place of the options with similar letters.
pub fn with_tip(mut error: clap::Error, root: &clap::Command, words: &[OsString]) -> clap::Error {
    let context = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    };
    let tip = match error.kind() {
        ErrorKind::UnknownArgument => {
            context(ContextKind::InvalidArg).and_then(|wrong| option_tip(root, words, &wrong))
        }
        ErrorKind::InvalidSubcommand => {
            let has_similar = error.get(ContextKind::SuggestedSubcommand).is_some();
            context(ContextKind::InvalidSubcommand).and_then(|wrong| {
                if let Some(parent) = parent_of(root, words, &wrong) {
                    return (!has_similar).then(|| below_tip(parent));
                }
                command_tip(&wrong).or_else(|| (!has_similar).then(|| name_tip(&wrong)))
            })
        }
        _ => None,
    };
    if let Some(tip) = tip {
        error.remove(ContextKind::SuggestedArg);
        error.remove(ContextKind::SuggestedSubcommand);
        // The usage would repeat the similar option.
        error.remove(ContextKind::Usage);
        error.insert(
            ContextKind::Suggested,
            ContextValue::StyledStrs(vec![tip.into()]),
        );
    }
    error
}

/// Names the option that has the meaning of a wrong option, or the commands that have it.
fn option_tip(root: &clap::Command, words: &[OsString], wrong: &str) -> Option<String> {
    let wrong = wrong.strip_prefix("--")?;
    let running = words.iter().find_map(|word| root.find_subcommand(word));
    let is_running =
        |line: &str| running.is_some_and(|running| line.starts_with(running.get_name()));
    let mut of_commands = MEANT_OF_COMMANDS.iter();
    if let Some((_, line)) = of_commands.find(|(typed, line)| *typed == wrong && !is_running(line))
    {
        return Some(format!("use `sky-accel {line}`"));
    }
    let meant = MEANT.iter().find(|(typed, _)| *typed == wrong);
    let meant = meant.map_or(wrong, |(_, meant)| meant);
    let option = meant.split(' ').next()?;
    let has = |command: &clap::Command| {
        let mut options = command.get_arguments();
        options.any(|arg| arg.get_long() == Some(option) && !arg.is_hide_set())
    };
    let running = running?;
    if has(running) && option != wrong {
        return Some(format!("use '--{meant}'"));
    }
    let takes_specs = running
        .get_positionals()
        .any(|arg| SPEC_ARGUMENTS.contains(&arg.get_id().as_str()));
    let mut in_specs = MEANT_IN_SPECS.iter().filter(|_| takes_specs);
    if let Some((_, tip)) = in_specs.find(|(typed, _)| *typed == wrong) {
        return Some((*tip).to_owned());
    }
    let mut having = Vec::new();
    for command in root.get_subcommands() {
        let name = command.get_name();
        having.extend(has(command).then(|| format!("`{name}`")));
        let below = command.get_subcommands().filter(|below| has(below));
        having.extend(below.map(|below| format!("`{name} {}`", below.get_name())));
    }
    having.truncate(MOST_COMMANDS);
    let commands: Vec<&str> = having.iter().map(String::as_str).collect();
    (!commands.is_empty()).then(|| format!("'--{meant}' is an option of {}", list_and(&commands)))
}

/// The command whose subcommand a wrong word would be; `None` for the first word of a line.
fn parent_of<'c>(
    root: &'c clap::Command,
    words: &[OsString],
    wrong: &str,
) -> Option<&'c clap::Command> {
    let before = words.iter().take_while(|word| *word != wrong);
    let mut parents = before.filter_map(|word| root.find_subcommand(word));
    parents.find(|parent| parent.has_subcommands())
}

/// Names the subcommands of a command.
fn below_tip(parent: &clap::Command) -> String {
    let below = parent
        .get_subcommands()
        .filter(|below| !below.is_hide_set());
    let names: Vec<&str> = below.map(clap::Command::get_name).collect();
    format!("`{}` has {}", parent.get_name(), list_and(&names))
}

/// Names the command that has the meaning of a wrong word; `None` for other words.
fn command_tip(wrong: &str) -> Option<String> {
    let mut asks = QUESTION_WORDS.iter();
    if wrong.contains(char::is_whitespace) || asks.any(|word| wrong.eq_ignore_ascii_case(word)) {
        return Some(SENTENCE.to_owned());
    }
    let mut meant = MEANT_COMMANDS.iter();
    let (_, command) = meant.find(|(typed, _)| *typed == wrong)?;
    Some(format!("use `sky-accel {command}`"))
}

/// Names what the first word can be, and the names that are similar to it.
fn name_tip(wrong: &str) -> String {
    let hints = Engine::embedded().read_hardware(wrong).err();
    let hints = hints.and_then(|error| Some(error.problems.into_iter().next()?.hints));
    match hints.as_deref() {
        Some([near, ..]) => format!("a similar name exists: '{near}'"),
        _ => "begin with a command, an accelerator or a model: `sky-accel H100`, `sky-accel Qwen3-32B`; `sky-accel help` lists the commands".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::Cli;

    fn shown(line: &str) -> String {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        Cli::read(&words).expect_err(line).render().to_string()
    }

    #[test]
    fn a_wrong_option_leads_to_the_right_one() {
        for (line, tip) in [
            ("recommend Qwen3-32B --quant fp8", "use '--precision'"),
            ("resolve H100 --reserved", "use '--commit 1y'"),
            ("serve Qwen3-32B", "use `sky-accel recommend`"),
            ("recommend Qwen3-32B --lora", "use '--workload lora'"),
            ("resolve H100 --by-region", "use '--map'"),
            ("resolve H100 --spot", "use '--capacity-type spot'"),
            ("list --nodes 5", "'--nodes' is an option of"),
            ("resolve H100 --monthly", "use '--month'"),
            (
                "resolve H100 --infiniband",
                "use '--interconnect infiniband'",
            ),
            ("resolve H100 --ram 64GB", "use '--min-host-memory'"),
            ("models --fits 4090", "'--on'"),
            ("recommend --fits 4090", "use `sky-accel models --on`"),
            ("--fits 4090", "use `sky-accel models --on`"),
            ("fit H100 Qwen3-8B --hours 3", "`plan`"),
            ("plan H100 --target skypilot", "use '--to'"),
            ("recommend Qwen3-8B --eu", "use '--region EU'"),
            ("resolve H100 --count 8", "a spec has the number of devices"),
            ("list --fp8", "a spec has the compute capability"),
            ("list --vram 80", "use '--min-memory'"),
            ("resolve H100 --users 5", "'--users' is an option of"),
        ] {
            let text = shown(&format!("sky-accel {line}"));
            assert!(text.contains(tip), "{line}: {text}");
            assert!(!text.contains("Usage:"), "{line}: {text}");
        }
        let text = shown("sky-accel recommend Qwen3-32B --provder aws");
        assert!(text.contains("--provider"), "{text}");
    }

    #[test]
    fn an_unknown_first_word_leads_to_names() {
        assert!(shown("sky-accel H10O").contains("'H100'"));
        assert!(shown("sky-accel resolv H100").contains("'resolve'"));
        assert!(shown("sky-accel ???").contains("sky-accel help"));
        let question = shown("sky-accel what can I run on a 4090");
        assert!(question.contains("not a sentence"), "{question}");
        assert!(!question.contains("'watch'"), "{question}");
        let below = shown("sky-accel config init");
        assert!(below.contains("`config` has"), "{below}");
        assert!(!below.contains("inf1"), "{below}");
    }

    #[test]
    fn every_meant_option_exists() {
        let mut root = Cli::command();
        root.build();
        for (typed, meant) in MEANT {
            let option = meant.split(' ').next();
            let mut commands = root.get_subcommands();
            let exists =
                commands.any(|command| command.get_arguments().any(|arg| arg.get_long() == option));
            assert!(exists, "{typed}: {meant}");
        }
    }
}
