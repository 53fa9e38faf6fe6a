//! The pass that serving engines compute when they start, to measure the memory that the cache may take.

use super::super::architecture::Architecture;
use super::super::calibration::Calibration;
use super::super::run::Run;

/// Tokens of the pass that a serving engine profiles when it starts.
pub(super) fn profiled_tokens(run: &Run, calibration: &Calibration) -> f64 {
    let usual = calibration.profiled_tokens;
    run.max_batched_tokens.unwrap_or_else(|| {
        // Versions that do not split prompts read the longest one in a pass.
        if run.longest() <= calibration.profiled_context_ki * 1024.0 {
            run.longest().max(usual)
        } else {
            usual
        }
    })
}

/// Sequences of that pass: as many as the engine decodes at once.
pub(super) fn profiled_sequences(
    run: &Run,
    model: &Architecture,
    calibration: &Calibration,
) -> f64 {
    if let Some(sequences) = run.max_sequences {
        return sequences.min(profiled_tokens(run, calibration));
    }
    let most = calibration.image_profiled_sequences;
    if model.image_parameters > 0 && most > 0.0 {
        calibration.profiled_sequences.min(most)
    } else {
        calibration.profiled_sequences
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::format::WeightFormat;
    use super::super::super::testing::assert_near;
    use super::super::super::words::Workload;
    use super::*;

    #[test]
    fn old_versions_read_the_whole_context_in_their_profile() {
        let tokens = |context, limit, given| {
            let run = Run {
                context,
                generate: 6.0,
                max_batched_tokens: given,
                ..Run::new(Workload::Inference, WeightFormat::plain(16.0))
            };
            let calibration = Calibration {
                profiled_tokens: 100.0,
                profiled_context_ki: limit,
                ..Calibration::default()
            };
            profiled_tokens(&run, &calibration)
        };
        assert_near(tokens(1000.0, 0.0, None), 100.0);
        assert_near(tokens(1000.0, 2.0, None), 1006.0);
        assert_near(tokens(10.0, 2.0, None), 100.0);
        assert_near(tokens(3000.0, 2.0, None), 100.0);
        assert_near(tokens(1000.0, 2.0, Some(50.0)), 50.0);
    }

    #[test]
    fn stated_sequences_are_profiled_as_far_as_the_pass_has_tokens() {
        let sequences = |stated| {
            let run = Run {
                max_sequences: stated,
                ..Run::new(Workload::Inference, WeightFormat::plain(16.0))
            };
            let calibration = Calibration {
                profiled_tokens: 100.0,
                profiled_sequences: 64.0,
                ..Calibration::default()
            };
            profiled_sequences(&run, &Architecture::default(), &calibration)
        };
        assert_near(sequences(None), 64.0);
        assert_near(sequences(Some(16.0)), 16.0);
        assert_near(sequences(Some(512.0)), 100.0);
    }
}
