//! Reading the parts of a choice, with the errors of each part.

use std::fmt;

use super::vocabulary;
use crate::catalog::{AcceleratorId, Catalog, compare_versions};
use crate::mig::SliceList;
use crate::money::Count;
use crate::spec::{
    CountRange, KEYS, KeyKind, MemoryRange, Op, PartKind, Span, SpecError, SpecErrorCode,
    SpecErrors, UnplacedError, count_range, find_key, memory_bound,
};
use crate::suggest;
use crate::text::{list_and, same_name};

/// An example of MIG slices in a spec.
const MIG_EXAMPLE: &str = "mig=1g.10gb";

/// The parts of a choice. Each kind occurs at most once.
#[derive(Default)]
pub(super) struct Narrowing<'t> {
    pub(super) memory: Option<(MemoryRange, Span)>,
    pub(super) count: Option<(CountRange, Span)>,
    pub(super) mig: Option<(SliceList, Span)>,
    /// The form factor and the memory type.
    pub(super) words: Vec<(&'t str, Span)>,
    pub(super) compares: Vec<KeyComparison<'t>>,
}

pub(super) struct KeyComparison<'t> {
    pub(super) kind: KeyKind,
    pub(super) key: &'static str,
    pub(super) op: Op,
    pub(super) value: &'t str,
    pub(super) value_span: Span,
}

impl KeyComparison<'_> {
    /// Returns whether an accelerator satisfies the comparison. An unknown value satisfies none.
    pub(super) fn holds(&self, catalog: &Catalog<'_>, id: AcceleratorId) -> bool {
        let accelerator = catalog.accelerator(id);
        let equal = self.op == Op::Equal;
        match self.kind {
            KeyKind::Vendor => {
                let maker = catalog.str(accelerator.vendor);
                let wanted = catalog
                    .vendor(self.value)
                    .map(|vendor| catalog.str(vendor.name));
                (wanted == Some(maker)) == equal
            }
            KeyKind::Text(field) => {
                begins_with(catalog.str(field(&accelerator)), self.value) == equal
            }
            KeyKind::Form => {
                vocabulary::form_matches(catalog.str(accelerator.form_factor), self.value) == equal
            }
            KeyKind::Version(field) => catalog
                .text(field(&accelerator))
                .is_some_and(|version| self.op.holds(compare_versions(version, self.value))),
            KeyKind::Number(field, units) => field(&accelerator)
                .zip(figure(self.value, units))
                .is_some_and(|(has, bound)| self.op.holds(has.total_cmp(&bound))),
            KeyKind::Memory | KeyKind::Count => true,
        }
    }
}

impl fmt::Display for KeyComparison<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}{}", self.key, self.op.spelling(), self.value)
    }
}

impl Narrowing<'_> {
    pub(super) fn narrows(&self) -> bool {
        self.memory.is_some()
            || self.mig.is_some()
            || !self.words.is_empty()
            || !self.compares.is_empty()
    }
}

/// Reads parts and collects their errors.
pub(super) struct PartReader<'c, 'a, 'e> {
    pub(super) catalog: &'c Catalog<'a>,
    pub(super) errors: &'e mut SpecErrors,
}

impl PartReader<'_, '_, '_> {
    fn fail(&mut self, error: SpecError) {
        self.errors.push(error);
    }

    /// Reads one part into `narrowing`, or adds its error.
    pub(super) fn part<'t>(
        &mut self,
        kind: &PartKind<'t>,
        span: Span,
        narrowing: &mut Narrowing<'t>,
    ) {
        match kind {
            PartKind::Memory(range) => {
                self.once(&mut narrowing.memory, *range, span, "memory size");
            }
            PartKind::Count(range) => self.once(&mut narrowing.count, *range, span, "count"),
            PartKind::Mig(list) => self.once(&mut narrowing.mig, list.clone(), span, "`mig=` list"),
            PartKind::Word(word) => self.word(word, span, narrowing),
            PartKind::Compare {
                key,
                op,
                value,
                value_span,
            } => {
                let Some(spec_key) = find_key(key) else {
                    let span = span.start..span.start + key.len();
                    let keys = KEYS
                        .iter()
                        .flat_map(|k| std::iter::once(k.name).chain(k.aliases.iter().copied()));
                    let near = suggest::closest(key, keys.chain(["mig"]));
                    let names: Vec<&str> = KEYS.iter().map(|key| key.name).collect();
                    let hint = if near.is_empty() {
                        format!(" (keys: {})", names.join(", "))
                    } else {
                        String::new()
                    };
                    let error = SpecError::new(
                        SpecErrorCode::UnknownKey,
                        span,
                        format!("unknown key '{key}'{hint}"),
                    );
                    return self.fail(error.suggest(near));
                };
                match spec_key.kind {
                    KeyKind::Memory => match memory_bound(*op, value) {
                        Ok(range) => self.once(&mut narrowing.memory, range, span, "memory size"),
                        Err(error) => self.fail(error.at(value_span.clone())),
                    },
                    KeyKind::Count => match count_of(*op, value) {
                        Ok(range) => self.once(&mut narrowing.count, range, span, "count"),
                        Err(error) => self.fail(error.at(value_span.clone())),
                    },
                    KeyKind::Form if *op == Op::Equal && !value.is_empty() => {
                        self.word(value, value_span.clone(), narrowing);
                    }
                    kind => {
                        self.compare(
                            kind,
                            spec_key.name,
                            *op,
                            value,
                            value_span.clone(),
                            narrowing,
                        );
                    }
                }
            }
        }
    }

    fn once<T>(&mut self, slot: &mut Option<(T, Span)>, value: T, span: Span, noun: &str) {
        if slot.is_some() {
            self.fail(SpecError::new(
                SpecErrorCode::DuplicatePart,
                span,
                format!("more than one {noun}"),
            ));
        } else {
            *slot = Some((value, span));
        }
    }

    fn word<'t>(&mut self, word: &'t str, span: Span, narrowing: &mut Narrowing<'t>) {
        if !vocabulary::is_form_factor(self.catalog, word)
            && !vocabulary::is_memory_type(self.catalog, word)
        {
            let forms = self
                .catalog
                .accelerators
                .iter()
                .map(|a| vocabulary::form_stem(self.catalog.str(a.form_factor)));
            let keys = KEYS.iter().map(|key| key.example);
            let key = KEYS.iter().map(|key| key.example).chain([MIG_EXAMPLE]);
            let same_key = key.filter(|example| example.split('=').next() == Some(word));
            let same_key: Vec<String> = same_key.map(str::to_owned).collect();
            let near = if same_key.is_empty() {
                suggest::closest(word, forms.chain(keys))
            } else {
                same_key
            };
            let message = format!(
                "unknown part '{word}': a part is a memory size, a count, a form factor, mig=… or key=value"
            );
            let mut error = SpecError::new(SpecErrorCode::UnknownPart, span, message).suggest(near);
            if !error.suggestions.is_empty() {
                error.message = format!("unknown part '{word}'");
            }
            return self.fail(error);
        }
        let same_kind = |other: &str| {
            vocabulary::is_form_factor(self.catalog, other)
                == vocabulary::is_form_factor(self.catalog, word)
        };
        if narrowing
            .words
            .iter()
            .any(|(other, _)| same_kind(other) && !same_name(other, word))
        {
            return self.fail(SpecError::new(
                SpecErrorCode::DuplicatePart,
                span,
                format!("more than one form factor: '{word}'"),
            ));
        }
        narrowing.words.push((word, span));
    }

    fn compare<'t>(
        &mut self,
        kind: KeyKind,
        key: &'static str,
        op: Op,
        value: &'t str,
        value_span: Span,
        narrowing: &mut Narrowing<'t>,
    ) {
        let ordered = !matches!(op, Op::Equal | Op::NotEqual);
        let problem = match kind {
            _ if value.is_empty() => Some((format!("`{key}` has no value"), Vec::new())),
            KeyKind::Vendor | KeyKind::Text(_) | KeyKind::Form if ordered => {
                Some((format!("`{key}` compares with = and != only"), Vec::new()))
            }
            KeyKind::Vendor if self.catalog.vendor(value).is_none() => {
                let vendors = self
                    .catalog
                    .vendors
                    .iter()
                    .flat_map(|v| self.catalog.strings(v.aliases));
                Some((
                    format!("unknown vendor '{value}'"),
                    suggest::closest(value, vendors),
                ))
            }
            KeyKind::Form if !vocabulary::is_form_factor(self.catalog, value) => {
                let forms = self.catalog.accelerators.iter();
                let forms = forms.map(|a| vocabulary::form_stem(self.catalog.str(a.form_factor)));
                Some((
                    format!("unknown form factor '{value}'"),
                    suggest::closest(value, forms),
                ))
            }
            KeyKind::Text(field)
                if !self
                    .catalog
                    .accelerators
                    .iter()
                    .any(|a| begins_with(self.catalog.str(field(&a)), value)) =>
            {
                let words = self
                    .catalog
                    .accelerators
                    .iter()
                    .map(|a| self.catalog.str(field(&a)));
                Some((
                    format!("nothing in the catalog has {key} '{value}'"),
                    suggest::closest(value, words),
                ))
            }
            KeyKind::Version(_) if !value.split('.').all(|part| part.parse::<u16>().is_ok()) => {
                Some((
                    format!("'{value}' is not a version such as 8.9"),
                    Vec::new(),
                ))
            }
            KeyKind::Number(_, units) if figure(value, units).is_none() => {
                let units: Vec<&str> = units.iter().take(2).map(|(unit, _)| *unit).collect();
                let hint = if units.is_empty() {
                    String::new()
                } else {
                    format!(" (units: {})", list_and(&units))
                };
                Some((format!("'{value}' is not a figure{hint}"), Vec::new()))
            }
            _ => None,
        };
        match problem {
            Some((message, near)) => {
                self.fail(
                    SpecError::new(SpecErrorCode::BadValue, value_span, message).suggest(near),
                );
            }
            None => narrowing.compares.push(KeyComparison {
                kind,
                key,
                op,
                value,
                value_span,
            }),
        }
    }
}

/// Returns whether the words of `value` are the first words of `text`, ignoring case.
pub(super) fn begins_with(text: &str, value: &str) -> bool {
    if same_name(text, value) {
        return true;
    }
    let mut words = text.split([' ', '-', '_']);
    value
        .split([' ', '-', '_'])
        .filter(|w| !w.is_empty())
        .all(|word| {
            words
                .next()
                .is_some_and(|first| first.eq_ignore_ascii_case(word))
        })
}

fn figure(value: &str, units: &[(&str, f64)]) -> Option<f64> {
    let lower = value.trim().to_ascii_lowercase();
    let (digits, factor) = units
        .iter()
        .find_map(|(unit, factor)| lower.strip_suffix(unit).map(|digits| (digits, *factor)))
        .unwrap_or((lower.as_str(), 1.0));
    let digits = digits.trim_end();
    let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    digits
        .parse::<f64>()
        .ok()
        .filter(|_| plain)
        .map(|number| number * factor)
}

fn count_of(op: Op, value: &str) -> Result<CountRange, UnplacedError> {
    let range = count_range(value)?;
    let bad = |message: &str| Err(UnplacedError::new(SpecErrorCode::BadCount, message));
    let Some(count) = range.single() else {
        return if op == Op::Equal {
            Ok(range)
        } else {
            bad("a range of counts compares with = only")
        };
    };
    let step = if count.is_whole() { Count::ONE.0 } else { 1 };
    match op {
        Op::Equal => Ok(range),
        Op::AtLeast => Ok(CountRange::at_least(count)),
        // Whole counts step by one device, fractions by a thousandth of a device.
        Op::MoreThan => Ok(CountRange::at_least(Count(count.0 + step))),
        Op::AtMost => Ok(CountRange {
            min: Count(1),
            max: Some(count),
        }),
        Op::LessThan if count.0 > step => Ok(CountRange {
            min: Count(1),
            max: Some(Count(count.0 - step)),
        }),
        Op::LessThan => Ok(CountRange {
            min: Count(1),
            max: Some(Count(count.0.max(2) - 1)),
        }),
        Op::NotEqual => bad("a count compares with =, >=, >, <= or <"),
    }
}
