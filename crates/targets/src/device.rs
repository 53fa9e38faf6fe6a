//! The names of a candidate's devices in other tools.

use sky_accel_core::catalog::{AcceleratorId, OfferKind, Sharing, SharingKind, ToolWord};
use sky_accel_core::plan::Candidate;
use sky_accel_core::text::list_and;

use crate::job::Handover;
use crate::{LossCode, Rendered, Unsupported};

/// A tool's name for an accelerator.
pub(crate) struct DeviceName<'a> {
    /// The name.
    pub text: &'a str,
    /// The topologies of slices of a pod that the tool accepts; empty for any.
    pub topologies: Vec<&'a str>,
    /// The tool's name for the vendor; `None` if the tool does not need the vendor.
    pub vendor: Option<&'a str>,
}

impl<'a> Handover<'_, 'a> {
    /// Returns a tool's name for the provider of a candidate; `None` if the tool does not support it.
    pub(crate) fn provider_word(&self, tool: &str, candidate: &Candidate) -> Option<&'a str> {
        let tool = self.catalog.tool(tool)?;
        let provider = self.offer(candidate).provider;
        self.catalog.tool_provider(&tool, provider)
    }

    /// Returns whether a tool takes the instance type of a candidate, which implies the accelerator and
    /// the count.
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

    /// Returns a tool's name for the accelerator of a candidate; `None` if the tool does not support the
    /// accelerator or the count.
    pub(crate) fn word_alone(&self, tool: &str, candidate: &Candidate) -> Option<DeviceName<'a>> {
        let word = self.tool_word(tool, candidate)?;
        let counts = self.catalog.counts_of(&word);
        let count = Self::count(candidate);
        let is_taken = counts.is_empty() || counts.iter().any(|n| u32::from(n) == count);
        is_taken.then(|| DeviceName {
            text: self.catalog.str(word.word),
            topologies: self.catalog.strings(word.topologies).collect(),
            vendor: self.catalog.text(word.vendor),
        })
    }

    /// Returns the same as [`Self::word_alone`], and reports other accelerators of the same name as a
    /// loss. For tools where the name is the only selector.
    pub(crate) fn word(
        &self,
        tool: &str,
        candidate: &Candidate,
        out: &mut Rendered,
    ) -> Option<DeviceName<'a>> {
        let word = self.word_alone(tool, candidate)?;
        self.lose_covered(tool, candidate, out, |_| true);
        Some(word)
    }

    /// Returns the error of a plan without a candidate that a tool which counts whole devices supports.
    pub(crate) fn no_word(&self, tool: &str) -> Unsupported {
        let part = self.first().filter(|first| !first.found.count.is_whole());
        let tool = tool.to_owned();
        match part {
            Some(part) => {
                let name = self.catalog.accelerator_id(part.found.accelerator);
                let request = format!("{} x {name}", part.found.count);
                Unsupported::Fraction { tool, request }
            }
            None => Unsupported::Candidates(tool),
        }
    }

    /// Reports accelerators outside the spec that share a tool's name as a loss. `is_open` returns
    /// whether the rest of the request leaves an accelerator possible.
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
        let is_requested = |id: AcceleratorId| {
            wanted
                .candidates
                .iter()
                .any(|candidate| candidate.accelerator == id)
        };
        let covered = self.catalog.accelerators(word.accelerators).iter();
        let others: Vec<&str> = covered
            .filter(|id| !is_requested(*id) && is_open(*id))
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
                format!("{name} also uses the name {text} for {others}"),
            );
        }
    }

    /// Returns the slice of a TPU pod with the number of chips of a candidate.
    pub(crate) fn pod_slice(&self, candidate: &Candidate) -> Option<Sharing> {
        let chips = candidate.found.count.decimal();
        let mut rows = self.catalog.sharing(candidate.found.accelerator);
        rows.find(|row| row.kind == SharingKind::PodSlice && row.accelerators_needed == Some(chips))
    }

    /// Returns the Kubernetes resource of whole devices.
    pub(crate) fn resource(&self, candidate: &Candidate) -> Result<&'a str, Unsupported> {
        let sdk = self.catalog.sdk(&self.accelerator(candidate));
        let resource = sdk.and_then(|sdk| self.catalog.text(sdk.kubernetes));
        resource.ok_or_else(|| {
            let product = self.catalog.accelerator_id(candidate.found.accelerator);
            Unsupported::Unknown {
                kind: "Kubernetes device plugin",
                product: product.to_owned(),
            }
        })
    }

    /// Returns the names in NVIDIA's driver of all accelerators that satisfy the spec of a candidate.
    pub(crate) fn products(&self, candidate: &Candidate) -> Vec<&'a str> {
        self.names_in("nvidia-smi", candidate)
    }

    /// Returns the names in a dialect of all accelerators that satisfy the spec of a candidate, each once.
    pub(crate) fn names_in(&self, dialect: &str, candidate: &Candidate) -> Vec<&'a str> {
        let mut names = Vec::new();
        for wanted in &self.wanted_of(candidate).candidates {
            for spelling in self.catalog.spellings_of(wanted.accelerator) {
                let text = self.catalog.str(spelling.text);
                if self.catalog.str(spelling.dialect) == dialect && !names.contains(&text) {
                    names.push(text);
                }
            }
        }
        names
    }
}
