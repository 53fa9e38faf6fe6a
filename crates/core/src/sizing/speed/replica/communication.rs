//! Communication of a replica: all-reduces, all-to-alls, and transfers between pipeline stages.

use super::super::super::architecture::QkNorm;
use super::{HIDDEN_BYTES, ReplicaTimes};

/// Bytes per value of an expert exchange: dispatch sends 8 bits, combine returns 16 bits.
const EXCHANGED_BYTES: f64 = 3.0;

impl ReplicaTimes<'_> {
    /// Seconds of the all-reduces of `tokens` tokens over all layers.
    ///
    /// Each layer has two: after attention and after the MLP. Norms of queries and keys over all heads together
    /// ([`QkNorm::Joint`]) need a third, whose bytes do not matter. vLLM and SGLang pay several latencies for each,
    /// because a barrier and a norm come with it (`sum-latency-factor`). Prefill multiplies the bytes by
    /// `prompt-sum-factor`.
    pub(super) fn summed(&self, tokens: f64, bytes_factor: f64) -> f64 {
        if self.tensor <= 1.0 {
            return 0.0;
        }
        let links = self.device.links.collective(self.tensor);
        let bytes = tokens * self.hidden * HIDDEN_BYTES;
        let latency = self.device.engine.sum_latencies * links.latency;
        let norms = if self.model.qk_norm == Some(QkNorm::Joint) {
            latency
        } else {
            0.0
        };
        self.layers * (2.0 * (latency + bytes_factor * bytes / links.sum.max(1.0)) + norms)
    }

    /// Seconds of the exchanges among experts for `tokens` tokens of a rank.
    ///
    /// Only data-parallel ranks that share experts exchange tokens. `exchange-factor` is fitted to runs with
    /// data-parallel attention, `exchange-us-per-layer` is the least time of `DeepEP`'s dispatch and combine.
    pub(super) fn exchanged(&self, tokens: f64) -> f64 {
        let (Some(experts), true) = (self.model.experts, self.sharing > 1.0) else {
            return 0.0;
        };
        let ranks = self.tensor * self.sharing;
        let rate = self.device.links.collective(ranks).exchange.max(1.0);
        let width = f64::from(self.model.expert_input());
        // A token is sent once to each other rank that has at least one of its experts, if it chooses evenly.
        let copies = (ranks - 1.0) * (1.0 - (1.0 - 1.0 / ranks).powf(f64::from(experts.active)));
        let sent = tokens * copies * width * EXCHANGED_BYTES / rate;
        self.expert_layers
            * (self.calibration.exchange_factor * sent + self.calibration.exchange_us * 1e-6)
    }

    /// Seconds that `tokens` tokens take from one pipeline stage to the next.
    pub(super) fn hop(&self, tokens: f64) -> f64 {
        let links = &self.device.links;
        let bytes = tokens * self.hidden * HIDDEN_BYTES;
        let devices = self.tensor * self.stages;
        links.collective(devices).latency + bytes / links.among(devices).max(1.0)
    }
}
