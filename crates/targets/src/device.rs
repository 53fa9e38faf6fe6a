//! The names of a candidate's devices in tools.

use sky_accel_core::catalog::{AcceleratorId, OfferKind, Sharing, ToolWord};
use sky_accel_core::plan::Candidate;
use sky_accel_core::text::list_and;

use crate::job::Handover;
use crate::{CannotSay, LossCode, Rendered};

/// A tool's word for an accelerator.
pub(crate) struct Word<'a> {
    pub text: &'a str,
    /// The topologies of slices of a pod that the tool accepts; empty for any.
    pub topologies: Vec<&'a str>,
    /// The tool's word for the maker, where it is to be said.
    pub vendor: Option<&'a str>,
}

impl<'a> Handover<'_, 'a> {
    /// The word of a tool for the provider of a candidate; `None` where the tool does not reach it.
    pub(crate) fn provider_word(&self, tool: &str, candidate: &Candidate) -> Option<&'a str> {
        let tool = self.catalog.tool(tool)?;
        let provider = self.offer(candidate).provider;
        self.catalog.tool_provider(&tool, provider)
    }

    /// Whether a tool is given the instance type of a candidate, which says all.
    pub(crate) fn names_type(&self, tool: &str, candidate: &Candidate) -> bool {
        let offer = self.offer(candidate);
        let is_type = offer.count.is_some() && offer.kind != OfferKind::Slice;
        let mut tool = self.catalog.tool(tool).into_iter();
        is_type && tool.any(|tool| self.catalog.tool_takes_types(&tool, offer.provider))
    }

    fn tool_word(&self, tool: &str, candidate: &Candidate) -> Option<ToolWord> {
        let tool = self.catalog.tool(tool)?;
        let provider = self.offer(candidate).provider;
        self.catalog
            .tool_word(&tool, candidate.found.accelerator, Some(provider))
    }

    /// The word of a tool for the accelerator of a candidate, where it takes so many of it.
    pub(crate) fn word_alone(&self, tool: &str, candidate: &Candidate) -> Option<Word<'a>> {
        let word = self.tool_word(tool, candidate)?;
        let counts = self.catalog.counts_of(&word);
        let count = Self::count(candidate);
        let is_taken = counts.is_empty() || counts.iter().any(|n| u32::from(n) == count);
        is_taken.then(|| Word {
            text: self.catalog.str(word.word),
            topologies: self.catalog.strings(word.topologies).collect(),
            vendor: self.catalog.text(word.vendor),
        })
    }

    /// The same, where the word says all: what it covers besides is told as lost.
    pub(crate) fn word(
        &self,
        tool: &str,
        candidate: &Candidate,
        out: &mut Rendered,
    ) -> Option<Word<'a>> {
        let word = self.word_alone(tool, candidate)?;
        self.lose_covered(tool, candidate, out, |_| true);
        Some(word)
    }

    /// The error of a plan without one candidate that a tool which counts whole devices can say.
    pub(crate) fn no_word(&self, tool: &str) -> CannotSay {
        let part = self.first().filter(|first| !first.found.count.is_whole());
        CannotSay(match part {
            Some(part) => {
                let name = self.catalog.accelerator_id(part.found.accelerator);
                let count = part.found.count;
                format!("{tool} counts whole devices: it has no word for {count} x {name}")
            }
            None => format!("{tool} has no word for any of the candidates"),
        })
    }

    /// Tells which accelerators a tool's word covers that are not wanted. `is_open` tells which of
    /// them nothing else rules out.
    pub(crate) fn lose_covered(
        &self,
        tool: &str,
        candidate: &Candidate,
        out: &mut Rendered,
        is_open: impl Fn(AcceleratorId) -> bool,
    ) {
        let Some(word) = self.tool_word(tool, candidate) else {
            return;
        };
        let wanted = self.wanted_of(candidate);
        let is_wanted =
            |id: AcceleratorId| wanted.candidates.iter().any(|one| one.accelerator == id);
        let covered = self.catalog.accelerators(word.accelerators).iter();
        let others: Vec<&str> = covered
            .filter(|id| !is_wanted(*id) && is_open(*id))
            .map(|id| self.catalog.accelerator_id(id))
            .collect();
        if !others.is_empty() {
            let name = self
                .catalog
                .tool(tool)
                .map_or(tool, |tool| self.catalog.str(tool.name));
            let text = self.catalog.str(word.word);
            let others = list_and(&others);
            out.lose(
                LossCode::Accelerator,
                format!("{text} also stands for {others} in {name}"),
            );
        }
    }

    /// The slice of a pod of TPUs with so many chips.
    pub(crate) fn pod_slice(&self, candidate: &Candidate) -> Option<Sharing> {
        let chips = candidate.found.count.decimal();
        let catalog = &self.catalog;
        let mut rows = catalog.sharing(candidate.found.accelerator);
        rows.find(|row| {
            catalog.str(row.kind) == "pod-slice" && row.accelerators_needed == Some(chips)
        })
    }

    /// The Kubernetes resource of whole devices.
    pub(crate) fn resource(&self, candidate: &Candidate) -> Result<&'a str, CannotSay> {
        let sdk = self.catalog.sdk(&self.accelerator(candidate));
        let resource = sdk.and_then(|sdk| self.catalog.text(sdk.kubernetes));
        resource.ok_or_else(|| {
            let name = self.catalog.accelerator_id(candidate.found.accelerator);
            CannotSay(format!("no Kubernetes device plugin is known for {name}"))
        })
    }

    /// The names in NVIDIA's driver of the accelerators that are wanted in the place of a candidate's.
    pub(crate) fn products(&self, candidate: &Candidate) -> Vec<&'a str> {
        let mut products = Vec::new();
        for wanted in &self.wanted_of(candidate).candidates {
            for spelling in self.catalog.spellings_of(wanted.accelerator) {
                let text = self.catalog.str(spelling.text);
                if self.catalog.str(spelling.dialect) == "nvidia-smi" && !products.contains(&text) {
                    products.push(text);
                }
            }
        }
        products
    }
}
