//! The meaning of a name, in every dialect.

use super::suggestions;
use super::vocabulary::{is_form_factor, is_memory_type};
use crate::catalog::{AcceleratorId, Catalog, Meaning, Name as NameRow, OfferId, Rows};
use crate::mig::{self, ProfileRef, SliceList, SliceRequest};
use crate::money::Count;
use crate::spec::{
    MemoryRange, PartKind, Span, SpecError, SpecErrorCode, SpecName, find_key, parse_slices,
};
use crate::text::same_name;

/// The set of accelerators that a name covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Only the listed accelerators.
    Listed,
    /// A whole family: a memory size may also select a member that the bare name excludes.
    Family,
    /// Every accelerator of one vendor.
    Vendor,
    /// Every accelerator: a part must narrow it.
    Everything,
}

/// The meaning of a name.
#[derive(Clone, Debug)]
pub struct NameMeaning<'t> {
    /// The canonical spelling.
    pub name: String,
    /// The name as it was written.
    pub written: &'t str,
    /// The extent of the name.
    pub scope: Scope,
    /// The accelerators, the one to display first; never empty.
    pub candidates: Vec<AcceleratorId>,
    /// The number of devices in the name, such as 8 for an instance type; `None` without a number.
    pub count: Option<Count>,
    /// Whether the name is a TPU slice of `count` devices, so that a count after it counts slices.
    pub slice: bool,
    /// The MIG slices in the name; `None` without slices.
    pub mig: Option<SliceList>,
    /// A note on the name; `None` when the catalog has none.
    pub note: Option<&'t str>,
    /// The offer of the instance type; `None` when the name is not an instance type.
    pub instance_type: Option<OfferId>,
    /// Parts that are written into the name, with their spans.
    pub parts: Vec<(PartKind<'t>, Span)>,
}

impl<'t> NameMeaning<'t> {
    /// Creates the meaning of a name that covers accelerators and nothing else.
    pub(super) fn new(
        name: String,
        written: &'t str,
        scope: Scope,
        candidates: Vec<AcceleratorId>,
    ) -> Self {
        Self {
            name,
            written,
            scope,
            candidates,
            count: None,
            slice: false,
            mig: None,
            note: None,
            instance_type: None,
            parts: Vec::new(),
        }
    }
}

/// Python modules and classes in front of a factory's name.
const PYTHON_PATH: [&str; 4] = ["sky", "skyward", "accelerators", "AcceleratorSpec"];

/// Looks up a name in every dialect and returns its meaning.
///
/// # Errors
///
/// Fails for an unknown name, for a name that looks like a product but does not exist, and for a product after the
/// name of a vendor that does not make it.
pub fn look_up<'t>(
    catalog: &Catalog<'t>,
    name: &SpecName<'t>,
) -> Result<NameMeaning<'t>, SpecError> {
    let text = name.text;
    let reader = NameReader { catalog, name };
    if name.is_any() {
        let candidates = catalog.accelerator_ids().collect();
        return Ok(reader.meaning("any".to_owned(), Scope::Everything, candidates));
    }
    let found = match name.call {
        Some(call) => reader.call(call),
        None => reader
            .text(text, name.span.start)
            .unwrap_or_else(|| Err(reader.unknown())),
    };
    match &name.vendor {
        Some((vendor, span)) => reader.made_by(vendor, span.clone(), found?),
        None => found,
    }
}

/// Returns whether a name is known, even as a name that is rejected. Unlike [`look_up`], it does
/// not search for suggestions, which is slow.
pub(super) fn is_known(catalog: &Catalog<'_>, name: &SpecName<'_>) -> bool {
    let text = name.text;
    if name.is_any() || name.call.is_some() {
        return true;
    }
    let reader = NameReader { catalog, name };
    reader.text(text, name.span.start).is_some()
}

type NameLookup<'t> = Option<Result<NameMeaning<'t>, SpecError>>;

struct NameReader<'c, 't> {
    catalog: &'c Catalog<'t>,
    name: &'c SpecName<'t>,
}

impl<'t> NameReader<'_, 't> {
    fn meaning(
        &self,
        name: String,
        scope: Scope,
        candidates: Vec<AcceleratorId>,
    ) -> NameMeaning<'t> {
        NameMeaning::new(name, self.name.text, scope, candidates)
    }

    /// Looks up plain text; `start` is its location in the spec.
    fn text(&self, text: &'t str, start: usize) -> NameLookup<'t> {
        let listed = self.listed(text);
        let is_type = |found: &NameLookup<'t>| matches!(found, Some(Ok(name)) if name.instance_type.is_some());
        if listed.is_some() && !is_type(&listed) {
            return listed;
        }
        // Some providers name their machines `H100x8`: the spec means such a machine of any
        // provider.
        self.composed(text, start)
            .filter(|found| listed.is_none() || found.is_ok())
            .or(listed)
    }

    /// Looks up a name composed of other names and parts.
    fn composed(&self, text: &'t str, start: usize) -> NameLookup<'t> {
        self.vendor(text)
            .or_else(|| self.path(text, start))
            .or_else(|| self.flyte(text, start))
            .or_else(|| self.tokens(text, start))
            .or_else(|| self.glued_count(text, start))
    }

    /// Looks up a name of the catalog.
    fn listed(&self, text: &str) -> NameLookup<'t> {
        self.catalog.name(text).map(|row| self.row(&row))
    }

    fn row(&self, row: &NameRow) -> Result<NameMeaning<'t>, SpecError> {
        let catalog = self.catalog;
        let display = catalog.str(row.display).to_owned();
        let single = |id: AcceleratorId| catalog.accelerator_id(id).to_owned();
        let several = |rows: Rows| {
            let ids = catalog.accelerators(rows).to_vec();
            let name = if let [only] = ids[..] {
                single(only)
            } else {
                display.clone()
            };
            (name, ids)
        };
        let mut meaning = match row.meaning {
            Meaning::Exact(id) => {
                let family = catalog.str(catalog.accelerator(id).family);
                let scope = if same_name(catalog.accelerator_id(id), family) {
                    Scope::Family
                } else {
                    Scope::Listed
                };
                self.meaning(display, scope, vec![id])
            }
            Meaning::AnyOf(rows) => {
                let (name, ids) = several(rows);
                self.meaning(name, Scope::Family, ids)
            }
            Meaning::Sized {
                accelerators,
                count,
                mig,
            } => {
                let (name, ids) = several(accelerators);
                let mut meaning = self.meaning(name, Scope::Listed, ids);
                meaning.count = count;
                meaning.slice = count.is_some() && self.name.call.is_none();
                meaning.mig = catalog
                    .text(mig)
                    .and_then(|text| parse_slices(text, 0).ok());
                meaning
            }
            Meaning::InstanceType(id) => {
                let offer = catalog.offer(id);
                let ids = catalog.accelerators(offer.accelerators).to_vec();
                let mut meaning = self.meaning(single(offer.accelerator), Scope::Listed, ids);
                meaning.count = offer.count;
                meaning.note = catalog.text(offer.note);
                meaning.instance_type = Some(id);
                meaning
            }
            Meaning::Rejected { why, suggest } => {
                let ids = catalog.accelerators(suggest).iter();
                let error = SpecError::new(
                    SpecErrorCode::NotAProduct,
                    self.name.span.clone(),
                    catalog.str(why),
                );
                return Err(error.suggest(ids.map(single)));
            }
        };
        meaning.note = meaning.note.or(catalog.text(row.note));
        Ok(meaning)
    }

    /// `nvidia`: every accelerator of a vendor.
    fn vendor(&self, text: &str) -> NameLookup<'t> {
        let vendor = self.catalog.vendor(text)?;
        let name = self.catalog.str(vendor.name);
        let candidates = self
            .catalog
            .accelerator_ids()
            .filter(|id| self.catalog.str(self.catalog.accelerator(*id).vendor) == name);
        Some(Ok(self.meaning(
            name.to_ascii_lowercase(),
            Scope::Vendor,
            candidates.collect(),
        )))
    }

    /// Keeps the accelerators that the vendor in front of a name makes.
    fn made_by(
        &self,
        vendor: &str,
        span: Span,
        mut found: NameMeaning<'t>,
    ) -> Result<NameMeaning<'t>, SpecError> {
        let catalog = self.catalog;
        let Some(named) = catalog.vendor(vendor).map(|row| catalog.str(row.name)) else {
            return Ok(found);
        };
        let maker = |id: &AcceleratorId| catalog.str(catalog.accelerator(*id).vendor);
        let makers = found.candidates.first().map_or("", maker);
        found.candidates.retain(|id| maker(id) == named);
        if !found.candidates.is_empty() {
            return Ok(found);
        }
        let provider = if catalog.provider_named(vendor).is_some() {
            "; to choose a provider, use `provider`"
        } else {
            ""
        };
        let name = found.instance_type.map_or(found.name, |id| {
            catalog.str(catalog.offer(id).id).to_owned()
        });
        let message = format!("{makers} makes {name}, not {named}{provider}");
        let error = SpecError::new(SpecErrorCode::NothingLikeThat, span, message);
        Err(error.suggest([name]))
    }

    /// `NVIDIA.A100`, `sky.accelerators.A100`.
    fn path(&self, text: &'t str, start: usize) -> NameLookup<'t> {
        let (head, tail) = text.split_once('.')?;
        let is_python = PYTHON_PATH
            .iter()
            .any(|word| head.eq_ignore_ascii_case(word));
        let is_vendor = self.catalog.vendor(head).is_some();
        if !is_python && !is_vendor || tail.is_empty() {
            return None;
        }
        let found = self.text(tail, start + head.len() + 1)?;
        let head_span = start..start + head.len();
        Some(found.and_then(|found| self.made_by(head, head_span, found)))
    }

    /// Flyte: `A100.partition_2g_10gb`, and TPU topologies that the catalog does not list, such as
    /// `V5P.slice_2x2x4`.
    fn flyte(&self, text: &'t str, start: usize) -> NameLookup<'t> {
        let dot = text.rfind('.')?;
        let (base, attribute) = (&text[..dot], &text[dot + 1..]);
        if let Some(profile) = strip_prefix_ignoring_case(attribute, "partition_") {
            let span = start + text.len() - profile.len()..start + text.len();
            let list = parse_slices(profile, span.start).ok()?;
            let mut found = self.listed(base)?.ok()?;
            found.parts.push((PartKind::Mig(list), span));
            return Some(Ok(found));
        }
        let topology = strip_prefix_ignoring_case(attribute, "slice_")?;
        let chips = topology
            .split('x')
            .try_fold(1_u32, |product, n| {
                product.checked_mul(n.parse().ok().filter(|n| *n > 0)?)
            })
            .filter(|chips| *chips <= Count::MAX.0 / Count::ONE.0)?;
        let mut found = self.listed(base)?.ok()?;
        found.count = Some(Count::whole(chips));
        found.slice = true;
        Some(Ok(found))
    }

    /// A name followed by words that the catalog does not list with it, each a memory size, a form
    /// factor, a memory type or a MIG profile: `NVIDIA-H100-PCIe-80GB`.
    fn tokens(&self, text: &'t str, start: usize) -> NameLookup<'t> {
        let is_separator = |c: char| matches!(c, ' ' | '-' | '_');
        let first = text.split(is_separator).next()?;
        if self.catalog.vendor(first).is_some() && first.len() < text.len() {
            let rest = text[first.len()..].trim_start_matches(is_separator);
            if let Some(found) = self
                .listed(rest)
                .or_else(|| self.with_words(rest, start + text.len() - rest.len()))
            {
                let span = start..start + first.len();
                return Some(found.and_then(|found| self.made_by(first, span, found)));
            }
        }
        self.with_words(text, start)
    }

    fn with_words(&self, text: &'t str, start: usize) -> NameLookup<'t> {
        let separators = text
            .char_indices()
            .filter(|(_, c)| matches!(c, ' ' | '-' | '_'));
        let mut cuts: Vec<usize> = separators.map(|(at, _)| at).collect();
        cuts.reverse();
        for cut in cuts {
            let Some(row) = self.catalog.name(&text[..cut]) else {
                continue;
            };
            if matches!(row.meaning, Meaning::Rejected { .. }) {
                continue;
            }
            let parts = self.words(text, cut, start)?;
            let mut found = match self.row(&row) {
                Ok(found) => found,
                Err(error) => return Some(Err(error)),
            };
            found.parts = parts;
            return Some(Ok(found));
        }
        None
    }

    fn words(&self, text: &'t str, cut: usize, start: usize) -> Option<Vec<(PartKind<'t>, Span)>> {
        let mut parts = Vec::new();
        let mut at = cut;
        for word in text[cut..].split([' ', '-', '_']) {
            let from = start + at;
            at += word.len() + 1;
            // Kubernetes marks time-sliced GPUs as shared; the hardware is the same.
            if ["", "mig", "shared"]
                .iter()
                .any(|filler| word.eq_ignore_ascii_case(filler))
            {
                continue;
            }
            let span = from..from + word.len();
            let kind = if let Some(profile) = mig::parse_profile(word) {
                let slice = SliceRequest {
                    profile: ProfileRef::Name(profile),
                    count: 1,
                    span: span.clone(),
                };
                PartKind::Mig(SliceList {
                    slices: vec![slice],
                })
            } else if let Ok(MemoryRange::Size(size)) = crate::spec::memory_range(word) {
                PartKind::Memory(MemoryRange::Size(size))
            } else if is_form_factor(self.catalog, word) || is_memory_type(self.catalog, word) {
                PartKind::Word(word)
            } else {
                return None;
            };
            parts.push((kind, span));
        }
        Some(parts)
    }

    /// `H100x8`.
    fn glued_count(&self, text: &'t str, start: usize) -> NameLookup<'t> {
        let at = text.rfind(['x', 'X'])?;
        let range = crate::spec::count_range(&text[at..]).ok()?;
        let mut found = self.listed(&text[..at])?.ok()?;
        let span = start + at..start + text.len();
        found.parts.push((PartKind::Count(range), span));
        Some(Ok(found))
    }

    /// A Python factory such as `A100(count=4)`. The catalog's entry for the bare call takes
    /// precedence over the bare name.
    fn call(&self, whole: &'t str) -> Result<NameMeaning<'t>, SpecError> {
        let custom = whole
            .split('(')
            .next()
            .and_then(|path| path.rsplit('.').next());
        if custom.is_some_and(|word| word.eq_ignore_ascii_case("custom")) {
            let exact = self.catalog.name(self.name.text).filter(|row| {
                // A custom accelerator is one accelerator of an overlay, never a family.
                matches!(row.meaning, Meaning::Exact(id)
                    if same_name(self.catalog.accelerator_id(id), self.name.text))
            });
            return exact.map_or_else(
                || {
                    let written = self.name.text;
                    let message = format!(
                        "'{written}' is a custom accelerator: describe it in an overlay catalog first"
                    );
                    let span = self.name.span.clone();
                    Err(SpecError::new(SpecErrorCode::CustomAccelerator, span, message))
                },
                |row| self.row(&row),
            );
        }
        if let Some(found) = self.listed(whole) {
            return found;
        }
        let text = self.name.text;
        if let Some(version) = self.name.version {
            let name = format!("{}{version}", text.rsplit('.').next().unwrap_or(text));
            return self.listed(&name).unwrap_or_else(|| Err(self.unknown()));
        }
        // `A100(count=4)` means the factory's default size; with a memory size or a form factor,
        // the call may mean any variant of the bare name.
        let arguments = &whole[text.len()..];
        let settled = ["memory", "form", "mig"]
            .iter()
            .any(|word| arguments.contains(word));
        let last = text.rsplit('.').next().unwrap_or(text);
        if !settled && let Some(found) = self.listed(&format!("{last}()")) {
            return found.map(|mut meaning| {
                meaning.slice = false;
                meaning
            });
        }
        self.text(text, self.name.span.start)
            .unwrap_or_else(|| Err(self.unknown()))
    }

    fn unknown(&self) -> SpecError {
        let written = self.name.text;
        let span = self.name.span.clone();
        let is_key = written.contains(['=', '<', '>']);
        let near = if is_key {
            vec![format!("any:{written}")]
        } else {
            suggestions::names_near(self.catalog, written)
        };
        if near.is_empty() && crate::spec::is_count(written) {
            let message =
                format!("'{written}' is a count: a spec begins with a name, as in H100:x8");
            return SpecError::new(SpecErrorCode::EmptyName, span, message);
        }
        let message = if self.catalog.provider_named(written).is_some() {
            format!("'{written}' is a provider, not an accelerator: `show` describes it")
        } else if let Some(key) = find_key(written) {
            let example = key.example;
            format!("'{written}' is a key, not an accelerator: add a value, as in {example}")
        } else {
            format!("unknown accelerator '{written}'")
        };
        SpecError::new(SpecErrorCode::UnknownAccelerator, span, message).suggest(near)
    }
}

fn strip_prefix_ignoring_case<'t>(text: &'t str, prefix: &str) -> Option<&'t str> {
    text.get(..prefix.len())
        .filter(|head| head.eq_ignore_ascii_case(prefix))
        .map(|_| &text[prefix.len()..])
}
