//! One difference between two catalogs.

use sky_accel_core::catalog::{ChangeKind, FactKind};

/// One change from an older catalog to a newer one.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The kind of the change, which determines the other fields that are set.
    pub kind: ChangeKind,
    /// The kind of a fact that the sizing of models depends on; `None` for other changes.
    pub fact: Option<FactKind>,
    /// The id of the provider; empty for changes of accelerators.
    pub provider: String,
    /// The id of the accelerator, offer or provider that changed. For other facts, the kind and name, such as
    /// `model Llama-3.1-8B`.
    pub what: String,
    /// The id of the accelerator, also for an offer; empty for changes of providers.
    pub accelerator: String,
    /// The name of the changed field, such as `memory_gb`. For a price, its capacity type with the price tier and the
    /// count, if any, such as `spot secure of 8`. Empty otherwise.
    pub field: String,
    /// The region of a region or price that changed; `None` for a price that holds in every region,
    /// and for other changes.
    pub region: Option<String>,
    /// The old value; `None` if unknown or not applicable. A price is in USD per hour: for the
    /// count in `field`, otherwise for the whole offer.
    pub before: Option<String>,
    /// The new value, in the form of `before`; `None` if unknown or not applicable.
    pub after: Option<String>,
    /// The change of a price in percent, negative if it fell; `None` unless a price moved.
    pub percent: Option<f64>,
}

impl Change {
    pub(super) fn of(kind: ChangeKind, provider: &str, what: &str, accelerator: &str) -> Self {
        Self {
            kind,
            fact: None,
            provider: provider.to_owned(),
            what: what.to_owned(),
            accelerator: accelerator.to_owned(),
            field: String::new(),
            region: None,
            before: None,
            after: None,
            percent: None,
        }
    }

    /// Returns the change as a sentence without a period.
    pub fn sentence(&self) -> String {
        let subject = if self.provider.is_empty() {
            self.what.clone()
        } else {
            format!("{} {}", self.provider, self.what)
        };
        let region = self.region.as_deref().unwrap_or("any region");
        let before = self.before.as_deref().unwrap_or("unknown");
        let after = self.after.as_deref().unwrap_or("unknown");
        let field = &self.field;
        match self.kind {
            ChangeKind::AcceleratorAdded => format!("new accelerator {subject}"),
            ChangeKind::AcceleratorRemoved => format!("accelerator {subject} is gone"),
            ChangeKind::FactAdded => format!("new {subject}"),
            ChangeKind::FactRemoved => format!("{subject} is gone"),
            ChangeKind::ProviderAdded => format!("new provider {}", self.what),
            ChangeKind::ProviderRemoved => format!("provider {} is gone", self.what),
            ChangeKind::TypeAdded => format!("new type {subject}: {}", self.accelerator),
            ChangeKind::TypeRemoved => format!("type {subject} is gone"),
            ChangeKind::FigureChanged | ChangeKind::TypeChanged | ChangeKind::FactChanged => {
                format!("{subject}: {field} was {before}, is {after}")
            }
            ChangeKind::RegionAdded => format!("{subject}: now in {region}"),
            ChangeKind::RegionGone => format!("{subject}: no longer in {region}"),
            ChangeKind::PriceAdded => format!("{subject}: {field} in {region} is ${after}"),
            ChangeKind::PriceGone => {
                format!("{subject}: {field} in {region} was ${before}, is unknown now")
            }
            ChangeKind::PriceMoved => {
                let percent = self.percent.unwrap_or_default();
                format!("{subject}: {field} in {region} ${before} -> ${after} ({percent:+.1}%)")
            }
        }
    }
}
