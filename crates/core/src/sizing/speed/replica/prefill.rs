//! The time of a prefill.

use super::super::super::words::CacheFormat;
use super::super::flops::{attention_flops, unwindowed_flops};
use super::super::overlap::overlapped;
use super::super::parts::TimeParts;
use super::ReplicaTimes;

/// The time of prompts that are prefilled together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PrefillTime {
    pub seconds: f64,
    /// Its parts.
    pub parts: TimeParts,
    /// Model FLOPs utilization: the share of the peak that useful operations take, between 0 and 1.
    pub mfu: Option<f64>,
}

impl ReplicaTimes<'_> {
    /// Seconds of work that a rank does for one prompt; `None` if no peak is known.
    pub fn prompt_work(&self) -> Option<f64> {
        self.prompt_parts().map(|parts| parts.total())
    }

    /// The parts of the work that a rank does for one prompt; `None` if no peak is known.
    ///
    /// This is the marginal cost of a prompt, which also delays other requests. Launches of the decoder and reading
    /// weights are not in it: they are shared with the decode steps of the same passes.
    pub fn prompt_parts(&self) -> Option<TimeParts> {
        let run = self.run;
        let fresh = run.prompt() * (1.0 - run.prefix_cached);
        // On average, a fresh token attends to the cached prefix and half of the fresh tokens.
        let before = run.prompt() * run.prefix_cached + fresh / 2.0;
        // Latent keys and values are unpacked to 16 bits first, so their attention gains nothing from fp8.
        let gain = if run.cache == CacheFormat::Fp8 && self.model.mla.is_none() {
            self.calibration.fp8_attention_gain
        } else {
            1.0
        };
        let shares = &self.device.shares;
        let half_tokens = match self.model.mla {
            Some(_) => shares.latent_half_tokens,
            None => shares.attention_half_tokens,
        };
        let (peak, _) = self.device.peak.at(16.0);
        let attention = peak.map(|peak| {
            // The second term makes attention reach P / (P + half_tokens) of its share of the peak with P tokens:
            // queries, keys and values are read and written once per token, whatever the window. A token attends
            // to half of its prompt on average, which halves it.
            let flops = attention_flops(self.model, before) / gain
                + unwindowed_flops(self.model, half_tokens / 2.0);
            fresh * flops / self.tensor / (peak * shares.attention)
        })?;
        // Serving engines have kernels that unpack weights while they multiply; others unpack them first.
        let unpacking_share = match self.run.engine {
            engine if engine.serves() || !self.unpacks => 1.0,
            _ => self.calibration.dequantizing_share,
        };
        let computing = fresh * self.computed? / unpacking_share + attention;
        // Images in a cached prefix are not encoded again.
        let images = self.encoded(1.0 - run.prefix_cached);
        Some(TimeParts {
            computing: computing + self.experts.waited(fresh) + images.computing,
            sending: self.summed_prompt(fresh) + self.exchanged(fresh),
            launching: images.launching,
            waiting: images.waiting,
            ..TimeParts::default()
        })
    }

    fn summed_prompt(&self, tokens: f64) -> f64 {
        self.summed(tokens, self.calibration.prompt_sum_factor)
    }

    /// The time that a rank without other work takes to prefill `sequences` prompts.
    pub fn prompts(&self, sequences: f64) -> Option<PrefillTime> {
        let work = self.prompt_parts()?.times(sequences);
        let run = self.run;
        let tokens = sequences * run.prompt() * (1.0 - run.prefix_cached);
        // Serving engines split long prompts into chunks, each of which launches all kernels.
        let chunks = if run.engine.serves() {
            (tokens / run.batched_tokens()).ceil().max(1.0)
        } else {
            1.0
        };
        let reading = self.dense_read + self.dense_copied + self.experts.read(tokens.max(1.0));
        // llama.cpp sends the layers of the host to the device for each batch of a prompt and computes them there.
        let batches = (tokens / self.calibration.llama_cpp_batch.max(1.0)).ceil();
        let sent = if self.host.bytes > 0.0 {
            batches * self.host.bytes / self.device.host_link.max(1.0)
        } else {
            0.0
        };
        let launching = chunks * self.launched() + work.launching;
        let waiting = chunks * self.device.engine.step + sent + work.waiting;
        let working = work.computing + work.sending;
        let busy = overlapped(working, reading);
        let seconds = busy + launching + waiting;
        let products = TimeParts::overlapping(reading, working, busy);
        let sending = products.computing * work.sending / working.max(f64::MIN_POSITIVE);
        let (peak, _) = self.device.peak.at(self.device.peak.bits_of(&run.weights));
        let encoded = sequences * (1.0 - run.prefix_cached) * self.image_flops();
        let useful = 2.0 * self.multiplied + attention_flops(self.model, run.prompt() / 2.0);
        Some(PrefillTime {
            seconds,
            parts: TimeParts {
                computing: products.computing - sending,
                sending,
                launching,
                waiting,
                ..products
            },
            mfu: peak.map(|peak| (tokens * useful + encoded) / self.tensor / seconds / peak),
        })
    }
}
