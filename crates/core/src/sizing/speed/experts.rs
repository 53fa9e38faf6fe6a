//! The time that a rank takes to read and compute its experts.

use super::super::architecture::{Architecture, Experts, Parameters};
use super::super::calibration::Calibration;
use super::super::device::Device;
use super::super::peak::Width;
use super::super::run::{Layout, Run};

/// The experts of the ranks of one replica.
pub(super) struct RankExperts<'p> {
    model: &'p Architecture,
    calibration: &'p Calibration,
    /// The shape of the distribution of how often experts are chosen.
    choice_shape: f64,
    /// Expert-parallel groups, each of which holds different experts.
    groups: f64,
    /// Seconds that a rank takes to read all of its experts.
    whole_read: f64,
    /// Seconds that a rank takes for the 16-bit copies of all of its experts, if a product has several tokens.
    whole_copied: f64,
    /// The minimum time of the products of one layer, in seconds.
    pub launch: f64,
    /// The additional time of a layer whose experts are distributed, in seconds.
    split_launch: f64,
    /// The maximum number of tokens without such time.
    unsplit_tokens: f64,
    /// Seconds that a rank takes to compute the experts for one token; `None` if no peak is known.
    pub computed: Option<f64>,
}

/// The inner columns of each expert on one rank. Tensor parallelism splits experts; expert parallelism leaves them
/// whole.
fn columns(experts: &Experts, layout: &Layout) -> f64 {
    let parts = (f64::from(layout.tensor) / f64::from(layout.expert)).max(1.0);
    (f64::from(experts.width) / parts).max(1.0)
}

impl<'p> RankExperts<'p> {
    pub fn new(
        model: &'p Architecture,
        run: &Run,
        layout: &Layout,
        device: &Device,
        calibration: &'p Calibration,
        counted: &Parameters,
    ) -> Self {
        let groups = f64::from(layout.expert).max(1.0);
        let choice_shape = if run.is_text() {
            calibration.text_choice_shape
        } else {
            calibration.expert_choice_shape
        };
        let Some(experts) = model.experts else {
            return Self {
                model,
                calibration,
                choice_shape,
                groups,
                whole_read: 0.0,
                whole_copied: 0.0,
                launch: 0.0,
                split_launch: 0.0,
                unsplit_tokens: 0.0,
                computed: Some(0.0),
            };
        };
        let ranks = f64::from(layout.expert.max(layout.tensor));
        let columns = columns(&experts, layout);
        let shares = &device.shares;
        let share = run.device_share(model) * run.device_expert_share(model);
        let bytes = share * run.weights.bytes_of(counted).experts;
        let bandwidth = shares.experts * columns / (columns + shares.expert_read_columns);
        let (peak, width) = device.peak.at(device.peak.bits_of(&run.weights));
        let products = shares.sparse.of(width, run.weights.bits);
        // Grouped products are at most as fast as dense ones; very wide experts would extrapolate beyond them.
        let compute = products.share(columns).min(shares.dense.of(width));
        let active = model.active_share(1.0) * counted.experts;
        let seconds = |bytes: f64| {
            device
                .bandwidth
                .map_or(0.0, |rate| bytes / ranks / (rate * bandwidth))
        };
        Self {
            model,
            calibration,
            choice_shape,
            groups,
            whole_read: seconds(bytes),
            whole_copied: seconds(share * run.weights.copied_bytes(counted.experts)),
            launch: products.launch,
            split_launch: if groups > 1.0 {
                device.engine.split_expert_layer
            } else {
                0.0
            },
            // In 16 bits, kernels choose other tiles as soon as a rank has more tokens than experts.
            unsplit_tokens: match width {
                Width::Full | Width::Half => f64::from(experts.count) / groups,
                Width::Eight | Width::Four => 0.0,
            },
            computed: peak.map(|peak| 2.0 * active / f64::from(layout.tensor) / (peak * compute)),
        }
    }

    /// Seconds that the slowest rank takes to read its experts in a step of `tokens` tokens.
    ///
    /// Some experts are chosen more often than others: `expert-choice-shape` is fitted to runs with random tokens, and
    /// `text-expert-choice-shape` to runs with the text of people.
    pub fn read(&self, tokens: f64) -> f64 {
        let Some(experts) = self.model.experts else {
            return 0.0;
        };
        let touched = self.model.touched_share(tokens, self.choice_shape);
        let copied = if tokens > 1.0 { self.whole_copied } else { 0.0 };
        let whole = self.whole_read + copied;
        if self.groups <= 1.0 {
            return whole * touched;
        }
        // Touched experts fall into groups at random. The maximum of `e` nearly normal counts with mean `m` is about
        // `sqrt(2 ln e)` deviations above the mean, and the variance of a count is `m` times the untouched share.
        let of_group = touched * f64::from(experts.count) / self.groups;
        let more = (2.0 * self.groups.ln() * (1.0 - touched) / of_group).sqrt();
        whole * (touched * (1.0 + more)).min(1.0)
    }

    /// Additional seconds of each layer whose experts are distributed over ranks, in a step of `tokens` tokens.
    ///
    /// Before 0.17, vLLM had no tuned tiles for the parts of experts that expert parallelism makes
    /// (`launch-us-per-split-expert-layer`).
    pub fn split(&self, tokens: f64) -> f64 {
        if tokens > self.unsplit_tokens {
            self.split_launch
        } else {
            0.0
        }
    }

    /// Seconds that a rank waits for the busiest rank in a prefill of `tokens` tokens.
    pub fn waited(&self, tokens: f64) -> f64 {
        if self.groups <= 1.0 {
            return 0.0;
        }
        (self.calibration.expert_imbalance - 1.0) * tokens * self.computed.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::device::{ByWidth, ExpertProducts, GroupedProducts, Shares};
    use super::super::super::format::WeightFormat;
    use super::super::super::peak::Peak;
    use super::super::super::testing::llama_3_8b;
    use super::super::super::words::Workload;
    use super::*;

    fn mixture() -> Architecture {
        Architecture {
            experts: Some(Experts {
                count: 128,
                active: 8,
                width: 2048,
                shared_width: 0,
                dense_first: 0,
                every: 1,
                latent_width: 0,
                image_width: 0,
            }),
            ..llama_3_8b()
        }
    }

    fn device() -> Device {
        let share = |most: f64| GroupedProducts {
            most,
            half_columns: 256.0,
            launch: 1e-5 / most,
        };
        Device {
            bandwidth: Some(1e12),
            peak: Peak {
                bits_16: Some(1e14),
                bits_8: Some(2e14),
                ..Peak::default()
            },
            shares: Shares {
                experts: 1.0,
                expert_read_columns: 256.0,
                dense: ByWidth {
                    half: 0.6,
                    eight: 0.6,
                    four: 0.6,
                },
                sparse: ExpertProducts {
                    half: share(0.5),
                    eight: share(0.2),
                    mixed: share(0.4),
                    unpacked: share(0.3),
                    ..ExpertProducts::default()
                },
                ..Shares::default()
            },
            ..Device::default()
        }
    }

    fn calibration() -> Calibration {
        Calibration {
            expert_choice_shape: 1.0,
            expert_imbalance: 1.5,
            ..Calibration::default()
        }
    }

    /// Seconds of reading the experts of `tokens` tokens, of computing one token, and of waiting for the busiest rank.
    fn times(device: &Device, weights: WeightFormat, layout: &Layout, tokens: f64) -> [f64; 3] {
        let (model, calibration) = (mixture(), calibration());
        let run = Run::new(Workload::Inference, weights);
        let run = Run { weights, ..run };
        let experts = RankExperts::new(
            &model,
            &run,
            layout,
            device,
            &calibration,
            &model.parameters(),
        );
        [
            experts.read(tokens),
            experts.computed.unwrap(),
            experts.waited(tokens),
        ]
    }

    fn layout(tensor: u32, expert: u32) -> Layout {
        Layout {
            tensor,
            expert,
            ..Layout::default()
        }
    }

    #[test]
    fn narrow_experts_reach_less_of_the_peak_and_of_the_bandwidth() {
        let half = WeightFormat::plain(16.0);
        let times_of = |tensor, expert| times(&device(), half, &layout(tensor, expert), 1e9);
        let ([read, computed, _], [cut_read, cut_computed, _]) = (times_of(1, 1), times_of(8, 1));
        // 2,048 columns reach 8/9 of the share, and 256 a half.
        let factor = 16.0 / 9.0 / 8.0;
        assert!((cut_read / read / factor - 1.0).abs() < 1e-9);
        assert!((cut_computed / computed / factor - 1.0).abs() < 1e-9);
        // Expert parallelism leaves them whole.
        let [whole_read, whole_computed, _] = times_of(8, 8);
        assert!((8.0 * whole_read / read - 1.0).abs() < 1e-6);
        assert!((8.0 * whole_computed / computed - 1.0).abs() < 1e-9);
    }

    #[test]
    fn products_of_experts_are_no_faster_than_dense_ones() {
        let mut slow = device();
        slow.shares.dense.half = 0.1;
        let half = WeightFormat::plain(16.0);
        let seconds = |device: &Device| times(device, half, &layout(1, 1), 1.0)[1];
        assert!((seconds(&slow) / seconds(&device()) - 0.5 * 8.0 / 9.0 / 0.1).abs() < 1e-9);
    }

    #[test]
    fn each_format_of_weights_has_its_own_share() {
        let format = |bits: f64, compute_bits: f64| WeightFormat {
            compute_bits,
            ..WeightFormat::plain(bits)
        };
        let seconds = |bits, compute_bits| {
            let weights = format(bits, compute_bits);
            times(&device(), weights, &layout(1, 1), 1.0)[1]
        };
        let (half, eight) = (seconds(16.0, 16.0), seconds(8.0, 8.0));
        assert!((half / eight - 2.0 * 0.2 / 0.5).abs() < 1e-9);
        assert!((half / seconds(4.25, 8.0) - 2.0 * 0.4 / 0.5).abs() < 1e-9);
        assert!((half / seconds(4.25, 16.0) - 0.3 / 0.5).abs() < 1e-9);
    }

    #[test]
    fn each_format_of_weights_has_its_own_floor() {
        let floor = |weights: WeightFormat| {
            let (model, calibration, device) = (mixture(), calibration(), device());
            let run = Run::new(Workload::Inference, weights);
            RankExperts::new(
                &model,
                &run,
                &layout(1, 1),
                &device,
                &calibration,
                &model.parameters(),
            )
            .launch
        };
        let (half, eight) = (WeightFormat::plain(16.0), WeightFormat::plain(8.0));
        assert!((floor(half) - 2e-5).abs() < 1e-12);
        assert!((floor(eight) - 5e-5).abs() < 1e-12);
    }

    #[test]
    fn a_step_waits_for_the_rank_that_reads_the_most_experts() {
        let half = WeightFormat::plain(16.0);
        let share = |expert, tokens| {
            let all_experts = times(&device(), half, &layout(expert, expert), 1e9)[0];
            times(&device(), half, &layout(expert, expert), tokens)[0] / all_experts
        };
        // A single group has all touched experts; the fullest of eight groups has more than the mean.
        assert!((share(1, 1.0) - 8.0 / 128.0).abs() < 1e-9);
        assert!(share(8, 1.0) > 2.0 * share(1, 1.0));
        // A rank reads at most all of its experts, and more tokens never make a step shorter.
        let mut before = 0.0;
        for tokens in (0..400).map(|power| 1.05_f64.powi(power)) {
            let now = share(8, tokens);
            assert!(before <= now && now <= 1.0, "{tokens} {before} {now}");
            before = now;
        }
        assert!(before > 0.99);
    }

    #[test]
    fn prefill_waits_for_the_busiest_rank_with_expert_parallelism() {
        let half = WeightFormat::plain(16.0);
        let wait_share = |tensor, expert| {
            let [_, computed, waited] = times(&device(), half, &layout(tensor, expert), 100.0);
            waited / (100.0 * computed)
        };
        assert!(wait_share(8, 1).abs() < 1e-12);
        assert!((wait_share(8, 8) - 0.5).abs() < 1e-9);
        assert!((wait_share(1, 8) - 0.5).abs() < 1e-9);
    }
}
