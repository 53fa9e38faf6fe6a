//! Candidates that dstack and SkyPilot cannot say.

use crate::support::sky_line;

#[test]
fn skypilot_gets_no_separate_region() {
    // Without other candidates, the error names the regions.
    let run = sky_line("plan A100:40GB --region us-gov-west-1 --to skypilot").run();
    assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{}", run.stderr);
    assert!(run.stderr.contains("us-gov-west-1"), "{}", run.stderr);
    // With other candidates, they are left out, which is a loss.
    let run =
        sky_line("plan A100:40GB --region us-gov-west-1 --region us-east-1 --to skypilot").run();
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(!run.stdout.contains("us-gov"), "{}", run.stdout);
    let lost = run
        .stderr
        .lines()
        .find(|line| line.starts_with("lost: region: "));
    assert!(
        lost.is_some_and(|line| line.contains("us-gov-west-1")),
        "{}",
        run.stderr
    );
}

#[test]
fn fractions_stay_fractions() {
    // Vast.ai rents whole devices only, so its machines are not used for a fraction.
    let run = sky_line("plan L4:x0.5 --limit 60 --to dstack").run();
    assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{}", run.stdout);
    assert!(run.stderr.contains("0.5"), "{}", run.stderr);
    let run = sky_line("plan L4:x0.5 --limit 60 --to skypilot").run();
    assert!(run.stdout.contains("g6f.4xlarge"), "{}", run.stdout);
    assert!(!run.stdout.contains("vast"), "{}", run.stdout);
    assert!(run.stderr.contains("lost: fallback: "), "{}", run.stderr);
    let run = sky_line("plan L4:x0.5 --limit 60 --to skyward").run();
    assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{}", run.stdout);
    // Without another offer, the whole device is used, with a note.
    let run = sky_line("plan L4:x0.5 --provider vastai --to skypilot").run();
    assert!(run.stdout.contains("L4:1"), "{}", run.stdout);
}
