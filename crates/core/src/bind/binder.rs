//! The binder: from syntax to the accelerators of a catalog.

use super::bound::{BoundChoice, Candidate};
use super::names::{NameMeaning, Scope, is_known, look_up};
use super::narrowing::{KeyComparison, Narrowing, PartReader};
use super::vocabulary;
use crate::catalog::{AcceleratorId, Catalog, Meaning, Name as NameRow};
use crate::memory::{self, Gigabytes};
use crate::mig::SliceList;
use crate::money::Count;
use crate::note::{self, Note};
use crate::spec::{
    self, CountRange, MemoryRange, PartKind, Span, Spec, SpecChoice, SpecError, SpecErrorCode,
    SpecErrors,
};
use crate::text::{counted, list_and, number, same_name};

/// Reads a spec and binds it: one [`BoundChoice`] for each choice, in order of preference.
///
/// # Errors
///
/// Fails with all errors, ordered by location, when a choice cannot be read or no accelerator
/// satisfies it.
pub fn interpret(catalog: &Catalog<'_>, text: &str) -> Result<Vec<BoundChoice>, SpecErrors> {
    let (spec, mut errors) = spec::parse(text);
    let wanted = bind(catalog, &spec, &mut errors);
    if errors.is_empty() {
        return Ok(wanted);
    }
    errors.sort_by_key(|error| error.span.start);
    Err(errors)
}

/// Binds every choice, adds all errors to `errors`, and returns the choices without errors.
pub fn bind(catalog: &Catalog<'_>, spec: &Spec<'_>, errors: &mut SpecErrors) -> Vec<BoundChoice> {
    spec.choices
        .iter()
        .filter_map(|choice| Binder::new(catalog, errors).choice(choice))
        .collect()
}

/// The form factor of GPUs that are soldered into laptops.
const LAPTOP: &str = "Laptop";

/// The accelerators of a name that satisfy its parts, and the meaning of the memory part.
pub(super) struct Narrowed {
    pub(super) accelerators: Vec<AcceleratorId>,
    /// The memory part in marketed GB.
    memory: Option<MemoryRange>,
    /// The number of devices that a quoted size adds up.
    quoted_count: Option<Count>,
}

pub(super) struct Binder<'c, 'a, 'e> {
    pub(super) catalog: &'c Catalog<'a>,
    pub(super) errors: &'e mut SpecErrors,
    pub(super) notes: Vec<Note>,
}

impl<'c, 'a, 'e> Binder<'c, 'a, 'e> {
    pub(super) fn new(catalog: &'c Catalog<'a>, errors: &'e mut SpecErrors) -> Self {
        Self {
            catalog,
            errors,
            notes: Vec::new(),
        }
    }

    /// Reads one part into `narrowing`, or adds its error.
    fn read_part<'t>(&mut self, kind: &PartKind<'t>, span: Span, narrowing: &mut Narrowing<'t>) {
        let mut reader = PartReader {
            catalog: self.catalog,
            errors: self.errors,
        };
        reader.part(kind, span, narrowing);
    }

    pub(super) fn fail(&mut self, error: SpecError) {
        self.errors.push(error);
    }

    fn choice(&mut self, choice: &SpecChoice<'_>) -> Option<BoundChoice> {
        let before = self.errors.len();
        let mut narrowing = Narrowing::default();
        let (name, parts) = restore_counted_name(self.catalog, choice);
        let meaning = (!name.text.is_empty()).then(|| look_up(self.catalog, &name));
        for part in parts {
            self.read_part(&part.kind, part.span.clone(), &mut narrowing);
        }
        let meaning = match meaning? {
            Ok(meaning) => meaning,
            Err(error) => {
                self.fail(error);
                return None;
            }
        };
        for (kind, span) in &meaning.parts {
            self.read_part(kind, span.clone(), &mut narrowing);
        }
        if self.errors.len() > before {
            return None;
        }
        if meaning.scope == Scope::Vendor
            && let Some((range, span)) = &narrowing.count
            && let Some(error) = self.number_of_product(range, span)
        {
            self.fail(error);
            return None;
        }
        self.narrow(&choice.span, meaning, &narrowing)
    }

    /// The error for a bare number after a vendor that is the short name of a product, as in `nvidia:4090`.
    fn number_of_product(&self, range: &CountRange, span: &Span) -> Option<SpecError> {
        let count = range.single()?;
        let text = count.to_string();
        let row = self
            .catalog
            .name(&text)
            .filter(|_| span.len() == text.len())?;
        if matches!(row.meaning, Meaning::InstanceType(_)) {
            return None;
        }
        let name = spec::SpecName {
            text: &text,
            span: span.clone(),
            call: None,
            version: None,
            counted: None,
            vendor: None,
        };
        let product = look_up(self.catalog, &name).ok()?.name;
        let message = format!("{count} after a vendor is a number of devices");
        let error = SpecError::new(SpecErrorCode::BadCount, span.clone(), message);
        Some(error.suggest([product]))
    }

    /// Applies the parts to the candidates of a name.
    pub(super) fn narrow(
        &mut self,
        span: &Span,
        meaning: NameMeaning<'_>,
        parts: &Narrowing<'_>,
    ) -> Option<BoundChoice> {
        let kept = self.keep(span, &meaning, parts)?;
        let quoted_count = kept.quoted_count;
        let (count, count_given) = self.count(&meaning, parts.count.as_ref(), quoted_count)?;
        let list = parts.mig.as_ref().map(|(list, _)| list);
        let (candidates, mig) = match list.or(meaning.mig.as_ref()) {
            None => (
                kept.accelerators
                    .into_iter()
                    .map(Candidate::whole)
                    .collect(),
                None,
            ),
            Some(list) => {
                let cut_each = count_given.then_some(count);
                let (candidates, list) =
                    self.by_slices(&meaning.name, &kept.accelerators, list, cut_each, span)?;
                (candidates, Some(list))
            }
        };

        let sized = parts.memory.is_some() || mig.is_some();
        if !sized {
            self.note_count_like_memory(&meaning, span, parts.count.as_ref(), &candidates);
        }
        let settled = sized || !parts.words.is_empty();
        self.note_name(&meaning, &candidates, sized, settled);
        // A quoted size such as 384GB implies the count, so the canonical spec does not repeat it.
        let says_count = count_given && quoted_count.is_none_or(|quoted| quoted == Count::ONE);
        let spec = canonical(
            &meaning.name,
            kept.memory,
            parts,
            mig.as_ref(),
            says_count.then_some(count),
        );
        let instance_type = meaning
            .instance_type
            .map(|id| self.catalog.str(self.catalog.offer(id).id).to_owned());
        Some(BoundChoice {
            spec,
            instance_type,
            name: meaning.name,
            candidates,
            count,
            count_given,
            mig,
            notes: std::mem::take(&mut self.notes),
        })
    }

    /// Returns the candidates of a name that satisfy every part except slices and count.
    pub(super) fn keep(
        &mut self,
        span: &Span,
        meaning: &NameMeaning<'_>,
        parts: &Narrowing<'_>,
    ) -> Option<Narrowed> {
        let before = self.errors.len();
        let mut accelerators = meaning.candidates.clone();
        if meaning.scope == Scope::Everything && !parts.narrows() {
            // An unreadable part may be the part that narrows it: its own error is enough.
            if self.errors.is_empty() {
                self.fail(SpecError::new(
                    SpecErrorCode::TooWide,
                    span.clone(),
                    "`any` needs a part that narrows it, as in any:24GB or any:vendor=amd",
                ));
            }
            return None;
        }
        let unnamed = matches!(meaning.scope, Scope::Everything | Scope::Vendor);
        if unnamed && !parts.compares.iter().any(|c| c.key == "class") {
            accelerators.retain(|id| !self.catalog.only_by_name(*id));
        }
        let (mut memory, mut quoted_count) = (None, None);
        if let Some((range, span)) = &parts.memory {
            let (canonical, quoted) = self.by_memory(meaning, *range, span, &mut accelerators);
            (memory, quoted_count) = (Some(canonical), quoted);
        }
        for (word, span) in &parts.words {
            self.by_word(meaning, word, span, &mut accelerators);
        }
        for compare in &parts.compares {
            self.by_compare(meaning, compare, &mut accelerators);
        }
        if self.errors.len() > before {
            return None;
        }
        if accelerators.is_empty() {
            self.fail(self.no_combination(span, meaning));
            return None;
        }
        Some(Narrowed {
            accelerators,
            memory,
            quoted_count,
        })
    }

    /// Notes that a bare number is a count if it is the memory size of a candidate too, as in `H100:80`.
    fn note_count_like_memory(
        &mut self,
        meaning: &NameMeaning<'_>,
        choice: &Span,
        part: Option<&(CountRange, Span)>,
        candidates: &[Candidate],
    ) {
        let Some((range, span)) = part else { return };
        let Some(count) = range.single() else { return };
        // A number before the name is a count.
        let is_bare = span.start > choice.start && span.len() == count.to_string().len();
        let is_size = |candidate: &Candidate| {
            let gb = self.catalog.accelerator(candidate.accelerator).memory_gb;
            gb.is_some_and(|gb| memory::is_same(gb, count.decimal()))
        };
        if is_bare && candidates.iter().any(is_size) {
            let message = format!(
                "{count} is read as {}: did you mean {}:{count}GB?",
                counted(count, "device"),
                meaning.name
            );
            note::add(&mut self.notes, Note::new("count-like-memory", message));
        }
    }

    fn count(
        &mut self,
        meaning: &NameMeaning<'_>,
        part: Option<&(CountRange, Span)>,
        quoted: Option<Count>,
    ) -> Option<(CountRange, bool)> {
        let given =
            part.is_some() || meaning.count.is_some() || quoted.is_some_and(|q| q > Count::ONE);
        let named_count = meaning.count.or(quoted).unwrap_or(Count::ONE);
        let Some((range, span)) = part else {
            return Some((CountRange::exactly(named_count), given));
        };
        let uncounted = named_count == Count::ONE && meaning.instance_type.is_none();
        if uncounted || range.single() == Some(named_count) && !meaning.slice {
            return Some((*range, true));
        }
        if !meaning.slice {
            let devices = counted(named_count, "device");
            let message = format!("'{}' already means {devices}", meaning.written);
            let error = SpecError::new(SpecErrorCode::DuplicatePart, span.clone(), message);
            self.fail(error.suggest([format!("{}:x{named_count}", meaning.name)]));
            return None;
        }
        // A count after the name of a TPU slice counts slices.
        let times = |count: Count| {
            Count::from_decimal(count.decimal() * named_count.decimal()).unwrap_or(Count::MAX)
        };
        if let Some(slices) = range.single() {
            let message = format!(
                "{slices} x {} is {}",
                meaning.written,
                counted(times(slices), "device")
            );
            note::add(&mut self.notes, Note::new("slices", message));
        }
        Some((
            CountRange {
                min: times(range.min),
                max: range.max.map(times),
            },
            true,
        ))
    }

    /// Keeps the candidates with the memory. Returns the size in marketed GB, and the number of
    /// devices that a quoted size adds up.
    fn by_memory(
        &mut self,
        meaning: &NameMeaning<'_>,
        range: MemoryRange,
        span: &Span,
        candidates: &mut Vec<AcceleratorId>,
    ) -> (MemoryRange, Option<Count>) {
        let catalog = self.catalog;
        let memory = |id: &AcceleratorId| catalog.accelerator(*id).memory_gb;
        let MemoryRange::Size(size) = range else {
            candidates.retain(|id| memory(id).is_some_and(|gb| range.contains(gb)));
            if candidates.is_empty() {
                self.no_memory(meaning, &format!("in {range}"), span);
            }
            return (range, None);
        };
        if let Some(found) = self.size_among(candidates, size) {
            candidates.retain(|id| memory(id).is_some_and(|gb| memory::is_same(gb, found)));
            return (range, None);
        }
        // Users write sizes that no product has, or the total of several devices.
        for id in candidates.iter() {
            let quoted = catalog.quoted_memory(&catalog.accelerator(*id));
            if let Some(quoted) = quoted.iter().find(|q| memory::is_same(q.gb, size.0)) {
                note::add(
                    &mut self.notes,
                    Note::new("quoted-memory", catalog.str(quoted.note)),
                );
                *candidates = vec![*id];
                return (range, Some(quoted.count));
            }
        }
        // First look for a near marketed size among the candidates, then in the rest of the family:
        // some names are printed on cards of several sizes.
        let family: Vec<AcceleratorId> = match (&meaning.scope, candidates.first()) {
            (Scope::Family, Some(first)) => {
                catalog.family(catalog.accelerator(*first).family).collect()
            }
            _ => Vec::new(),
        };
        for pool in [candidates.clone(), family] {
            // A size that a driver reports for a card means the size of that card; other sizes are
            // rounded to the nearest.
            let reporting = pool.iter().find(|id| {
                let row = catalog.accelerator(**id);
                let mut reported = [row.memory_mib, row.memory_mib_ec2].into_iter().flatten();
                reported.any(|mib| memory::is_reported(size, mib))
            });
            let sizes = pool.iter().filter_map(memory);
            let found = reporting
                .and_then(memory)
                .or_else(|| memory::nearest_size(size, sizes));
            if let Some(found) = found {
                if !memory::is_same(found, size.0) {
                    let message =
                        format!("{:.2} GB is read as the {} GB size", size.0, number(found));
                    note::add(&mut self.notes, Note::new("memory-read-as", message));
                }
                *candidates = pool;
                candidates.retain(|id| memory(id).is_some_and(|gb| memory::is_same(gb, found)));
                return (MemoryRange::Size(Gigabytes(found)), None);
            }
        }
        self.no_memory(meaning, &format!("of {} GB", number(size.0)), span);
        candidates.clear();
        (range, None)
    }

    fn size_among(&self, candidates: &[AcceleratorId], size: Gigabytes) -> Option<f64> {
        candidates
            .iter()
            .filter_map(|id| self.catalog.accelerator(*id).memory_gb)
            .find(|gb| memory::is_same(*gb, size.0))
    }

    fn no_memory(&mut self, meaning: &NameMeaning<'_>, which: &str, span: &Span) {
        let sizes = vocabulary::memory_sizes(self.catalog, &meaning.candidates);
        let error = if matches!(meaning.scope, Scope::Everything | Scope::Vendor) {
            SpecError::new(
                SpecErrorCode::NoSuchMemory,
                span.clone(),
                format!("no accelerator has a memory size {which}"),
            )
        } else {
            let listed: Vec<String> = sizes
                .iter()
                .map(|gb| format!("{} GB", number(*gb)))
                .collect();
            let message = format!(
                "{} has no size {which} ({})",
                meaning.name,
                listed.join(", ")
            );
            SpecError::new(SpecErrorCode::NoSuchMemory, span.clone(), message).suggest(
                sizes
                    .iter()
                    .map(|gb| format!("{}:{}GB", meaning.name, number(*gb))),
            )
        };
        self.fail(error);
    }

    fn by_word(
        &mut self,
        meaning: &NameMeaning<'_>,
        word: &str,
        span: &Span,
        candidates: &mut Vec<AcceleratorId>,
    ) {
        let catalog = self.catalog;
        let has_word = |id: &AcceleratorId| {
            let accelerator = catalog.accelerator(*id);
            vocabulary::form_matches(catalog.str(accelerator.form_factor), word)
                || same_name(catalog.str(accelerator.memory_type), word)
        };
        let possible = meaning.candidates.iter().any(has_word);
        candidates.retain(has_word);
        if possible {
            return;
        }
        let is_form = vocabulary::is_form_factor(catalog, word);
        let mut others: Vec<&str> = Vec::new();
        for id in &meaning.candidates {
            let accelerator = catalog.accelerator(*id);
            let other = catalog.str(if is_form {
                accelerator.form_factor
            } else {
                accelerator.memory_type
            });
            if !other.is_empty() && !others.contains(&other) {
                others.push(other);
            }
        }
        let property = if is_form {
            "form factor"
        } else {
            "memory type"
        };
        let message = match meaning.scope {
            Scope::Everything => format!("no accelerator has the {property} {word}"),
            _ => format!(
                "{} has no {word} {property} ({})",
                meaning.name,
                others.join(", ")
            ),
        };
        // The card with the number of a laptop GPU has another chip.
        let is_laptop = |form: &str| vocabulary::form_matches(form, LAPTOP);
        others.retain(|other| !is_form || is_laptop(other) == is_laptop(word));
        let mut suggestions = if is_form {
            self.siblings(meaning, word)
        } else {
            Vec::new()
        };
        if suggestions.is_empty() {
            suggestions.extend(others.iter().map(|other| {
                let first = other.split(' ').next().unwrap_or(other);
                format!("{}:{first}", meaning.name)
            }));
        }
        let error = SpecError::new(SpecErrorCode::NoSuchForm, span.clone(), message);
        self.fail(error.suggest(suggestions));
    }

    /// Returns the members of the family with the memory of the first candidate and a form factor.
    fn siblings(&self, meaning: &NameMeaning<'_>, form: &str) -> Vec<String> {
        let catalog = self.catalog;
        let first = meaning.candidates.first();
        let Some(first) = first.filter(|_| meaning.scope == Scope::Listed) else {
            return Vec::new();
        };
        let first = catalog.accelerator(*first);
        let is_sibling = |id: &AcceleratorId| {
            let other = catalog.accelerator(*id);
            other.memory_gb == first.memory_gb
                && vocabulary::form_matches(catalog.str(other.form_factor), form)
        };
        let members = catalog.family(first.family).filter(is_sibling);
        members
            .map(|id| catalog.accelerator_id(id).to_owned())
            .collect()
    }

    fn by_compare(
        &mut self,
        meaning: &NameMeaning<'_>,
        compare: &KeyComparison<'_>,
        candidates: &mut Vec<AcceleratorId>,
    ) {
        candidates.retain(|id| compare.holds(self.catalog, *id));
        // If other candidates satisfy the comparison, only the combination of parts is impossible.
        let possible = meaning
            .candidates
            .iter()
            .any(|id| compare.holds(self.catalog, *id));
        if !possible {
            let who = if meaning.scope == Scope::Everything {
                "accelerator"
            } else {
                &meaning.name
            };
            let message = format!("no {who} has {compare}");
            let span = compare.value_span.clone();
            self.fail(SpecError::new(
                SpecErrorCode::NothingLikeThat,
                span,
                message,
            ));
        }
    }

    fn no_combination(&self, span: &Span, meaning: &NameMeaning<'_>) -> SpecError {
        let message = match meaning.scope {
            Scope::Everything => "no accelerator satisfies all parts at once".to_owned(),
            _ => format!("no {} satisfies all parts at once", meaning.name),
        };
        let error = SpecError::new(SpecErrorCode::NothingLikeThat, span.clone(), message);
        if meaning.scope == Scope::Everything {
            return error;
        }
        let mut sold: Vec<AcceleratorId> = meaning.candidates.clone();
        sold.sort_by_key(|id| !self.catalog.is_sold(*id));
        error.suggest(
            sold.into_iter()
                .map(|id| self.catalog.accelerator_id(id).to_owned()),
        )
    }

    /// Adds notes on how a name was read. `picked` means that the spec selects a memory size,
    /// `settled` that it narrows the name at all.
    fn note_name(
        &mut self,
        meaning: &NameMeaning<'_>,
        candidates: &[Candidate],
        picked: bool,
        settled: bool,
    ) {
        let catalog = self.catalog;
        if let Some(offer) = meaning.instance_type.map(|id| catalog.offer(id)) {
            let count = offer.count.unwrap_or(Count::ONE);
            let provider = catalog.str(catalog.provider(offer.provider).name);
            let message = format!(
                "{} is {count} x {} on {provider}",
                catalog.str(offer.id),
                meaning.name
            );
            note::add(&mut self.notes, Note::new("instance-type", message));
        }
        if let Some(text) = meaning
            .note
            .filter(|_| !settled || meaning.candidates.len() == 1)
        {
            // A name that still means all its candidates excludes nothing: the note is background.
            let note = if meaning.candidates.len() > 1 {
                Note::detail("name", text)
            } else {
                Note::new("name", text)
            };
            note::add(&mut self.notes, note);
        }
        if matches!(meaning.scope, Scope::Everything | Scope::Vendor) {
            return;
        }
        let ids: Vec<AcceleratorId> = candidates.iter().map(|c| c.accelerator).collect();
        let mut sizes: Vec<f64> = ids
            .iter()
            .filter_map(|id| catalog.accelerator(*id).memory_gb)
            .collect();
        sizes.sort_by(f64::total_cmp);
        sizes.dedup();
        if sizes.len() > 1 && !picked {
            let sizes: Vec<String> = sizes.iter().map(|gb| number(*gb)).collect();
            let message = format!(
                "{} comes with {} GB; all sizes match",
                meaning.name,
                list_and(&sizes)
            );
            note::add(&mut self.notes, Note::detail("several-sizes", message));
        }
        if let [only] = ids[..]
            && let Some(text) = catalog.text(catalog.accelerator(only).note)
        {
            let message = format!("{}: {text}", catalog.accelerator_id(only));
            note::add(&mut self.notes, Note::new("accelerator", message));
        }
    }
}

/// Returns the canonical spec of a choice.
fn canonical(
    name: &str,
    memory: Option<MemoryRange>,
    parts: &Narrowing<'_>,
    mig: Option<&SliceList>,
    count: Option<CountRange>,
) -> String {
    let memory = memory.map(|range| range.to_string());
    let words = parts.words.iter().map(|(word, _)| (*word).to_owned());
    let compares = parts.compares.iter().map(ToString::to_string);
    let mig = mig.map(|list| format!("mig={list}"));
    let count = count.map(|count| count.to_string());
    let pieces = memory
        .into_iter()
        .chain(words)
        .chain(compares)
        .chain(mig)
        .chain(count);
    pieces.fold(name.to_owned(), |spec, piece| spec + ":" + &piece)
}

/// Returns the name and the parts of a choice. A leading count returns to a name that includes it
/// (`7900XTX`), and a vendor before the name becomes its vendor.
pub(super) fn restore_counted_name<'s, 't>(
    catalog: &Catalog<'_>,
    choice: &'s SpecChoice<'t>,
) -> (
    spec::SpecName<'t>,
    impl Iterator<Item = &'s spec::SpecPart<'t>>,
) {
    let put_back = choice.name.counted.as_ref().filter(|(whole, _)| {
        // Some providers name their machines `8x-H100`: the spec means any such machine.
        let is_name = |row: NameRow| {
            !matches!(row.meaning, Meaning::InstanceType(_)) || !is_known(catalog, &choice.name)
        };
        catalog.name(whole).is_some_and(is_name)
    });
    let mut name = choice.name.clone();
    if let Some((whole, _)) = put_back {
        name.text = whole;
    }
    let mut taken = put_back.map(|(_, span)| span.clone());
    // dstack writes the vendor before the name: `amd:MI300X`.
    let named = choice.parts.first().and_then(|part| match part.kind {
        PartKind::Word(word) if catalog.name(word).is_some() => Some((word, part.span.clone())),
        _ => None,
    });
    if let Some((word, span)) = named.filter(|_| catalog.vendor(name.text).is_some()) {
        name.vendor = Some((name.text, name.span));
        (name.text, name.span, taken) = (word, span.clone(), Some(span));
    }
    let parts = choice.parts.iter();
    (
        name,
        parts.filter(move |part| Some(&part.span) != taken.as_ref()),
    )
}
