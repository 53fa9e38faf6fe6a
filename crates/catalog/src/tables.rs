//! The tables of a catalog as owned data, from which a [`Catalog`] borrows.

use std::collections::BTreeSet;
use std::hash::BuildHasher as _;
use std::marker::PhantomData;
use std::sync::LazyLock;

use hashbrown::hash_table::Entry;
use hashbrown::{DefaultHashBuilder, HashTable};
use sky_accel_core::catalog::{Catalog, Column, OfferId, Pool, Rows, SoldAccelerator, Str, Table};

use crate::parallel;

/// One hasher for all interned texts of a process, because building it takes time.
static HASHER: LazyLock<DefaultHashBuilder> = LazyLock::new(DefaultHashBuilder::default);

/// The rows of one table as owned bytes.
#[derive(Clone, Debug)]
pub(crate) struct Buffer<T> {
    bytes: Vec<u8>,
    rows: PhantomData<fn() -> T>,
}

impl<T> Default for Buffer<T> {
    fn default() -> Self {
        Self {
            bytes: Vec::new(),
            rows: PhantomData,
        }
    }
}

impl<T: Column> Buffer<T> {
    fn copy_of(table: &Table<'_, T>) -> Self {
        Self {
            bytes: table.bytes().to_vec(),
            rows: PhantomData,
        }
    }

    pub(crate) fn table(&self) -> Table<'_, T> {
        Table::new(&self.bytes)
    }

    pub(crate) fn len(&self) -> usize {
        self.table().len()
    }

    pub(crate) fn at(&self, index: usize) -> T {
        self.table().at(index)
    }

    pub(crate) fn push(&mut self, row: T) {
        row.write(&mut self.bytes);
    }

    pub(crate) fn extend(&mut self, rows: impl IntoIterator<Item = T>) {
        for row in rows {
            self.push(row);
        }
    }

    /// Adds rows and returns their run.
    pub(crate) fn append(&mut self, rows: impl IntoIterator<Item = T>) -> Rows {
        let start = self.len() as u32;
        self.extend(rows);
        Rows {
            start,
            len: self.len() as u32 - start,
        }
    }

    /// Replaces an existing row.
    pub(crate) fn set(&mut self, index: usize, row: T) {
        let mut bytes = Vec::with_capacity(T::WIDTH);
        row.write(&mut bytes);
        self.bytes[index * T::WIDTH..][..T::WIDTH].copy_from_slice(&bytes);
    }
}

impl<T: Column> FromIterator<T> for Buffer<T> {
    fn from_iter<I: IntoIterator<Item = T>>(rows: I) -> Self {
        let mut buffer = Self::default();
        buffer.extend(rows);
        buffer
    }
}

macro_rules! declare_tables {
    ($($(#[$doc:meta])* $table:ident: $row:ty,)+) => {
        /// The texts and rows of a catalog as owned data, which can be changed.
        #[derive(Clone, Debug, Default)]
        pub struct Tables {
            pub(crate) pool: String,
            /// The positions of texts in the pool; empty in a copy of a catalog.
            interned: HashTable<Str>,
            /// The unknown accelerators in other projects' CSV files. Their rows were left out.
            pub left_out: BTreeSet<String>,
            $(pub(crate) $table: Buffer<$row>,)+
        }

        impl Tables {
            /// Returns a view of the tables.
            pub fn catalog(&self) -> Catalog<'_> {
                Catalog {
                    pool: Pool::new(&self.pool),
                    $($table: self.$table.table(),)+
                }
            }

            /// Returns a copy of every table of a catalog.
            pub fn copy_of(catalog: &Catalog<'_>) -> Self {
                Self {
                    pool: catalog.pool.to_text(),
                    interned: HashTable::new(),
                    left_out: BTreeSet::new(),
                    $($table: Buffer::copy_of(&catalog.$table),)+
                }
            }
        }
    };
}

sky_accel_core::catalog_tables!(declare_tables);

impl Tables {
    /// Sets the indexes of offers after all offers are added.
    pub(crate) fn index_offers(&mut self) {
        let catalog = self.catalog();
        let ids = || (0..catalog.offers.len()).map(OfferId::of_index);
        let sold = |id| SoldAccelerator::of_offer(&catalog, id);
        let by_accelerator = || -> Buffer<SoldAccelerator> {
            let mut rows: Vec<_> = ids().flat_map(sold).collect();
            rows.sort_unstable_by_key(|sold| (sold.accelerator, sold.offer));
            rows.into_iter().collect()
        };
        let by_id = || -> Buffer<OfferId> {
            let mut rows: Vec<_> = ids().collect();
            rows.sort_by_cached_key(|id| {
                let offer = catalog.offer(*id);
                (offer.provider, catalog.str(offer.id), *id)
            });
            rows.into_iter().collect()
        };
        let (by_accelerator, by_id) = parallel::join(by_accelerator, by_id);
        self.offers_by_accelerator = by_accelerator;
        self.offers_by_id = by_id;
    }

    /// Returns the position of a text in the pool, and adds the text if it is new.
    pub fn intern(&mut self, text: &str) -> Str {
        if text.is_empty() {
            return Str::default();
        }
        let Self { pool, interned, .. } = self;
        let hash = |text: &str| HASHER.hash_one(text);
        let text_of = |place: &Str| &pool[place.start as usize..][..place.len as usize];
        match interned.entry(
            hash(text),
            |known| text_of(known) == text,
            |known| hash(text_of(known)),
        ) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                let place = Str {
                    start: pool.len() as u32,
                    len: text.len() as u32,
                };
                new.insert(place);
                pool.push_str(text);
                place
            }
        }
    }

    pub(crate) fn intern_all<'t>(&mut self, texts: impl IntoIterator<Item = &'t str>) -> Rows {
        let strs: Vec<Str> = texts.into_iter().map(|text| self.intern(text)).collect();
        self.strings.append(strs)
    }
}
