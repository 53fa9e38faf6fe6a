//! The names and the checkpoints of models. Most lists show none, so they are read when the first one is used.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use serde::{Serialize, Serializer};
use sky_accel_core::catalog::{Catalog, Model, ModelName, Str};

use super::{CheckpointOut, stored_as};

/// The names and the checkpoints of all models of a catalog. Models are numbered: language models first, then models of
/// images, video and speech.
pub(super) struct NamesByModel<'c> {
    catalog: Catalog<'c>,
    lists: OnceLock<Lists<'c>>,
}

struct Lists<'c> {
    names: Grouped<&'c str>,
    checkpoints: Grouped<CheckpointOut<'c>>,
}

/// Items, and the number of the model of each. The items of a model are next to each other.
struct Grouped<T> {
    models: Vec<usize>,
    items: Vec<T>,
}

impl<'c> NamesByModel<'c> {
    pub(super) fn new(catalog: &Catalog<'c>) -> Self {
        Self {
            catalog: *catalog,
            lists: OnceLock::new(),
        }
    }

    /// The names of a model except its id.
    pub(super) fn names(all: &Arc<Self>, model: usize) -> ListOfModel<'c, &'c str> {
        ListOfModel {
            all: Arc::clone(all),
            model,
            list: |lists| &lists.names,
        }
    }

    /// The checkpoints of a model that differ from it.
    pub(super) fn checkpoints(all: &Arc<Self>, model: usize) -> ListOfModel<'c, CheckpointOut<'c>> {
        ListOfModel {
            all: Arc::clone(all),
            model,
            list: |lists| &lists.checkpoints,
        }
    }

    fn lists(&self) -> &Lists<'c> {
        self.lists.get_or_init(|| Lists::of(&self.catalog))
    }
}

impl<'c> Lists<'c> {
    fn of(catalog: &Catalog<'c>) -> Self {
        let (mut names, mut checkpoints) = (Vec::new(), Vec::new());
        for name in catalog.model_names {
            let number = usize::from(name.model);
            let Some(row) = catalog.models.get(number) else {
                continue;
            };
            let text = catalog.str(name.text);
            if text != catalog.str(row.id) {
                names.push((number, text));
            }
            checkpoints.extend(checkpoint(catalog, &row, &name).map(|found| (number, found)));
        }
        for (number, row) in (catalog.models.len()..).zip(catalog.media_models) {
            names.extend(catalog.strings(row.names).map(|name| (number, name)));
        }
        Self {
            names: Grouped::new(names),
            checkpoints: Grouped::new(checkpoints),
        }
    }
}

/// The checkpoint with a name; `None` if its format and version are those of the model.
fn checkpoint<'c>(
    catalog: &Catalog<'c>,
    row: &Model,
    name: &ModelName,
) -> Option<CheckpointOut<'c>> {
    let or_of_model = |own: Str, models: Str| if own.len > 0 { own } else { models };
    let format = or_of_model(name.stored_as, row.stored_as);
    let min_vllm = or_of_model(name.min_vllm, row.min_vllm);
    (format != row.stored_as || min_vllm != row.min_vllm).then(|| CheckpointOut {
        id: catalog.str(name.text),
        stored_as: stored_as(catalog, format),
        min_vllm: catalog.text(min_vllm),
    })
}

impl<T> Grouped<T> {
    /// Groups items by model. Items of a model keep their order.
    fn new(mut rows: Vec<(usize, T)>) -> Self {
        rows.sort_by_key(|(model, _)| *model);
        let (models, items) = rows.into_iter().unzip();
        Self { models, items }
    }

    fn of(&self, model: usize) -> &[T] {
        let start = self.models.partition_point(|other| *other < model);
        let len = self.models[start..].partition_point(|other| *other == model);
        &self.items[start..start + len]
    }
}

/// A list of facts of a model, which is read from the catalog when it is used.
#[derive(Clone)]
pub struct ListOfModel<'c, T> {
    all: Arc<NamesByModel<'c>>,
    model: usize,
    list: for<'l> fn(&'l Lists<'c>) -> &'l Grouped<T>,
}

impl<T> ListOfModel<'_, T> {
    /// Returns whether the list has no items.
    pub fn is_empty(&self) -> bool {
        self.deref().is_empty()
    }
}

impl<T> Deref for ListOfModel<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        (self.list)(self.all.lists()).of(self.model)
    }
}

impl<T: fmt::Debug> fmt::Debug for ListOfModel<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<T: Serialize> Serialize for ListOfModel<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.deref().serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::Grouped;

    #[test]
    fn items_are_grouped_by_model_in_their_order() {
        let grouped = Grouped::new(vec![(2, "c"), (0, "b"), (2, "a"), (5, "d")]);
        assert_eq!(grouped.of(0), ["b"]);
        assert_eq!(grouped.of(1), [""; 0]);
        assert_eq!(grouped.of(2), ["c", "a"]);
        assert_eq!(grouped.of(5), ["d"]);
        assert_eq!(grouped.of(6), [""; 0]);
    }
}
