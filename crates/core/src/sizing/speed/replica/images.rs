//! The work of the images in a prompt, before the decoder reads their tokens.

use super::super::super::peak::Width;
use super::super::super::vision::Vision;
use super::super::parts::TimeParts;
use super::ReplicaTimes;

impl ReplicaTimes<'_> {
    /// Operations of the tower for the images of a prompt.
    pub(super) fn image_flops(&self) -> f64 {
        let images = self.run.images;
        self.model.tower().map_or(0.0, |tower| {
            let one = tower.product_flops(images.tokens) + tower.attention_flops(images.tokens);
            images.per_request * one
        })
    }

    /// The time of a rank for the images of a prompt, of which a `share` is not in the cache.
    ///
    /// Towers are multiplied in 16 bits in every format of weights, and the ranks divide them like other matrices. No
    /// graph has their kernels. While a serving engine moves the pixels of an image to its devices, no step runs.
    pub(super) fn encoded(&self, share: f64) -> TimeParts {
        let images = self.run.images;
        let tower = self.model.tower();
        let Some((tower, peak)) = tower.zip(self.device.peak.bits_16) else {
            return TimeParts::default();
        };
        let fresh = images.per_request * share;
        let shares = &self.device.shares;
        let products = tower.product_flops(images.tokens) / shares.dense.of(Width::Half);
        let attention = tower.attention_flops(images.tokens) / shares.attention;
        TimeParts {
            computing: fresh * (products + attention) / self.tensor / peak,
            launching: fresh.min(1.0) * self.tower_launched(&tower),
            waiting: fresh * self.moved_pixels(&tower),
            ..TimeParts::default()
        }
    }

    /// Seconds of launching the layers of the tower once.
    fn tower_launched(&self, tower: &Vision) -> f64 {
        let costs = &self.device.engine;
        f64::from(tower.layers) * costs.layer.max(costs.eager_layer)
    }

    /// Seconds of moving the pixels of an image from the front end of a serving engine to its devices.
    fn moved_pixels(&self, tower: &Vision) -> f64 {
        if !self.run.engine.serves() {
            return 0.0;
        }
        tower.image_values(self.run.images.tokens) * self.calibration.image_ns_per_value * 1e-9
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::super::architecture::Architecture;
    use super::super::super::super::calibration::Calibration;
    use super::super::super::super::device::{ByWidth, Device, EngineCosts, Shares};
    use super::super::super::super::format::WeightFormat;
    use super::super::super::super::peak::Peak;
    use super::super::super::super::run::{Layout, Run};
    use super::super::super::super::testing::{assert_near, tiny};
    use super::super::super::super::vision::Images;
    use super::super::super::super::words::{ServingEngine, Workload};
    use super::*;

    const TOWER: Vision = Vision {
        parameters: 100,
        hidden: 8,
        layers: 3,
        global_layers: 2,
        patches: 4,
        values: 12,
        tokens: 16,
    };

    /// A device on which nothing but the work of images takes time.
    fn device() -> Device {
        Device {
            bandwidth: Some(1e12),
            peak: Peak {
                bits_16: Some(1e3),
                ..Peak::default()
            },
            shares: Shares {
                dense: ByWidth {
                    half: 0.5,
                    ..ByWidth::default()
                },
                attention: 0.25,
                ..Shares::default()
            },
            engine: EngineCosts {
                layer: 2.0,
                ..EngineCosts::default()
            },
            ..Device::default()
        }
    }

    fn encoded(run: &Run, tensor: u32, share: f64) -> TimeParts {
        let model = Architecture {
            vision: Some(TOWER),
            ..tiny()
        };
        let layout = Layout {
            tensor,
            ..Layout::default()
        };
        let (device, calibration) = (
            device(),
            Calibration {
                image_ns_per_value: 1e9,
                ..Calibration::default()
            },
        );
        ReplicaTimes::new(&model, run, &layout, &device, &calibration).encoded(share)
    }

    fn run(engine: ServingEngine) -> Run {
        Run {
            engine,
            images: Images {
                per_request: 2.0,
                tokens: 16.0,
            },
            ..Run::new(Workload::Inference, WeightFormat::plain(16.0))
        }
    }

    #[test]
    fn images_compute_launch_and_move_pixels() {
        let vllm = encoded(&run(ServingEngine::Vllm), 1, 1.0);
        let products = 2.0 * 100.0 * 64.0 / 500.0;
        let attention = 4.0 * 64.0 * 64.0 * 8.0 * 2.0 / 250.0;
        assert_near(vllm.computing, 2.0 * (products + attention));
        assert_near(vllm.launching, 3.0 * 2.0);
        assert_near(vllm.waiting, 2.0 * 64.0 * 12.0);
        // Ranks divide the tower, but not what the host does.
        let divided = encoded(&run(ServingEngine::Vllm), 2, 1.0);
        assert_near(divided.computing, vllm.computing / 2.0);
        assert_near(divided.waiting, vllm.waiting);
        // Only a serving engine has a front end.
        assert_near(
            encoded(&run(ServingEngine::Transformers), 1, 1.0).waiting,
            0.0,
        );
    }

    #[test]
    fn cached_images_are_not_encoded_again() {
        let whole = encoded(&run(ServingEngine::Vllm), 1, 1.0);
        let part = encoded(&run(ServingEngine::Vllm), 1, 0.25);
        assert_near(part.computing, whole.computing / 4.0);
        // One of two prompts has a new image.
        assert_near(part.launching, whole.launching / 2.0);
        assert_near(encoded(&run(ServingEngine::Vllm), 1, 0.0).total(), 0.0);
        let without = Run {
            images: Images::default(),
            ..run(ServingEngine::Vllm)
        };
        assert_near(encoded(&without, 1, 1.0).total(), 0.0);
    }
}
