//! The command `convert`.

use crate::support::sky_line;

#[test]
fn losses_are_reported_and_are_errors_with_strict() {
    for (line, text, lost) in [
        (
            "convert A100:40GB --to skypilot",
            "A100:1",
            "lost: memory: ",
        ),
        ("convert H100:80GB:x4+ --to dstack", "H100:80GB:4..", ""),
    ] {
        let run = sky_line(line).run().expect_code(0);
        assert_eq!(run.stdout.trim_end(), text, "{line}: {}", run.stderr);
        assert_eq!(run.stderr.contains("lost: "), !lost.is_empty(), "{line}");
        assert!(run.stderr.contains(lost), "{line}: {}", run.stderr);
        let strict = sky_line(&format!("{line} --strict")).run();
        assert_eq!(strict.code, if lost.is_empty() { 0 } else { 2 }, "{line}");
    }
    let none = sky_line("convert L4:x0.5 --to slurm").run();
    assert_eq!((none.code, none.stdout.as_str()), (2, ""));
    let choices = sky_line("convert H100:x8|A100 --to sky-accel").run();
    assert_eq!(choices.stdout.trim_end(), "H100:x8|A100");
}
