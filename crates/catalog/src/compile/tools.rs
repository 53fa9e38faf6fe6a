//! `[[sdk]]`, `[[tool]]`, `[[quota]]` and `[[cuda_release]]`.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};

use sky_accel_core::catalog::{
    CudaRelease, ProviderId, QuotaPool, Sdk, Tool, ToolProvider, ToolWord, compare_versions,
};
use sky_accel_core::sizing::ServingEngine;
use sky_accel_core::word::Word as _;

use super::Compiler;
use crate::schema::SpannedText;
use crate::source::CatalogDocument;
use crate::{Layer, schema};

/// The features that a tool may lack at a provider.
const FEATURES: [(&str, ()); 7] = [
    ("image", ()),
    ("nodes", ()),
    ("interconnect", ()),
    ("spot", ()),
    ("separate-regions", ()),
    ("regions", ()),
    ("bare-regions", ()),
];

impl Compiler<'_> {
    pub(super) fn tools(&mut self) {
        // A later layer replaces the whole tool.
        let mut tools: BTreeMap<&str, (&CatalogDocument, &schema::ToolEntry)> = BTreeMap::new();
        for document in self.documents {
            for item in &document.content.tool {
                let twice = tools
                    .insert(item.id.get_ref(), (document, item))
                    .is_some_and(|(other, _)| other.layer == document.layer);
                if twice {
                    self.fail(document, &item.id, "this tool is defined twice");
                }
            }
        }
        self.sdks();
        self.quotas();
        self.cuda_releases();
        for (document, item) in tools.into_values() {
            self.tool(document, item);
        }
    }

    fn sdks(&mut self) {
        let merged = self.layered(
            |document| &document.content.sdk,
            |_, item| (item.id.get_ref().clone(), &item.id),
            schema::SdkEntry::lay_over,
        );
        for document in self.documents {
            for item in &document.content.sdk {
                // They become commands that plans run, so an overlay cannot change or remove them.
                let says_commands = item.list_command.is_some() || item.docker.is_some();
                if !document.layer.is_embedded() && says_commands {
                    let command = item.list_command.as_ref();
                    let command =
                        command.or(item.docker.as_ref().and_then(|docker| docker.first()));
                    let message = "an overlay cannot set commands";
                    self.fail(document, command.unwrap_or(&item.id), message);
                }
            }
        }
        for (document, item) in &merged {
            let engines = item.engines.as_deref().unwrap_or_default();
            let unmeasured = item.unmeasured.as_deref().unwrap_or_default();
            for engine in engines.iter().chain(unmeasured) {
                if ServingEngine::from_word(engine.get_ref()).is_none() {
                    self.fail(document, engine, "unknown serving engine");
                }
            }
            let row = Sdk {
                id: self.text(document, Some(&item.id)),
                kubernetes: self.text(document, item.kubernetes.as_ref()),
                list_command: self.text(document, item.list_command.as_ref()),
                docker: self.texts(document, item.docker.as_deref().unwrap_or_default()),
                engines: self.texts(document, engines),
                unmeasured: self.texts(document, unmeasured),
                source: self.text(document, Some(&item.source)),
                as_of: self.date(document, &item.as_of),
            };
            self.tables.sdks.push(row);
        }
    }

    /// Compiles quotas. Quotas of later layers come first, because the first quota with a family applies.
    fn quotas(&mut self) {
        let mut rows: Vec<(Layer, QuotaPool)> = Vec::new();
        let mut seen: HashSet<(Layer, ProviderId, &str)> = HashSet::new();
        for document in self.documents {
            for item in &document.content.quota {
                let at = item.families.first().unwrap_or(&item.on_demand);
                let Some(provider) = self.provider_of(document, item.provider.as_ref(), at) else {
                    continue;
                };
                for family in &item.families {
                    if !seen.insert((document.layer, provider, family.get_ref())) {
                        self.fail(document, family, "another quota has this family");
                    }
                }
                let row = QuotaPool {
                    provider,
                    families: self.texts(document, &item.families),
                    on_demand: self.text(document, Some(&item.on_demand)),
                    spot: self.text(document, Some(&item.spot)),
                    source: self.text(document, Some(&item.source)),
                    as_of: self.date(document, &item.as_of),
                };
                rows.push((document.layer, row));
            }
        }
        rows.sort_by_key(|(layer, _)| Reverse(*layer));
        self.tables
            .quotas
            .extend(rows.into_iter().map(|(_, row)| row));
    }

    fn cuda_releases(&mut self) {
        let merged = self.layered(
            |document| &document.content.cuda_release,
            |_, item| (item.version.get_ref().clone(), &item.version),
            std::clone::Clone::clone_from,
        );
        for (document, item) in &merged {
            let row = CudaRelease {
                version: self.text(document, Some(&item.version)),
                driver_min: self.text(document, Some(&item.driver_min)),
                source: self.text(document, Some(&item.source)),
                as_of: self.date(document, &item.as_of),
            };
            self.tables.cuda_releases.push(row);
        }
        let catalog = self.tables.catalog();
        let version = |row: &CudaRelease| catalog.str(row.version);
        let mut releases = catalog.cuda_releases.to_vec();
        releases.sort_by(|a, b| compare_versions(version(a), version(b)));
        self.tables.cuda_releases = releases.into_iter().collect();
    }

    /// Checks that `types` and `sells` refer to providers and words of the tool.
    fn check_tool(&mut self, document: &CatalogDocument, item: &schema::ToolEntry) {
        let knows = |id: &SpannedText| {
            item.providers
                .keys()
                .any(|known| known.get_ref() == id.get_ref())
        };
        for id in item.types.iter().chain(item.sells.keys()) {
            if !knows(id) {
                self.fail(document, id, "the tool has no word for this provider");
            }
        }
        for word in item.sells.values().flatten() {
            let mut words = item.words.iter();
            if !words.any(|known| known.word.get_ref() == word.get_ref()) {
                self.fail(document, word, "the tool has no such word");
            }
        }
    }

    fn tool(&mut self, document: &CatalogDocument, item: &schema::ToolEntry) {
        self.check_tool(document, item);
        let mut providers = Vec::new();
        for (id, word) in &item.providers {
            // Other entries are for providers that overlays may add.
            if let Some(provider) = self.providers.get(id.get_ref()).copied() {
                let lacks = item.lacks.get(id.get_ref()).map(Vec::as_slice);
                let lacks = lacks.unwrap_or_default();
                let mut sold = item.sells.iter();
                let sold = sold.find(|(known, _)| known.get_ref() == id.get_ref());
                let sells = sold.map(|(_, words)| &words[..]).unwrap_or_default();
                for feature in lacks {
                    self.one_of(document, feature, &FEATURES);
                }
                providers.push(ToolProvider {
                    provider,
                    word: self.text(document, Some(word)),
                    lacks: self.texts(document, lacks),
                    takes_types: item.types.iter().any(|one| one.get_ref() == id.get_ref()),
                    sells: self.texts(document, sells),
                });
            }
        }
        let mut words = Vec::new();
        for tool_word in &item.words {
            let accelerators = self.accelerator_refs(document, &tool_word.accelerators);
            if tool_word.accelerators.is_empty() {
                self.fail(
                    document,
                    &tool_word.word,
                    "a word needs at least one accelerator",
                );
            }
            let provider = tool_word
                .provider
                .as_ref()
                .and_then(|id| self.provider_of(document, Some(id), id));
            words.push(ToolWord {
                word: self.text(document, Some(&tool_word.word)),
                vendor: self.text(document, tool_word.vendor.as_ref()),
                accelerators: self.list(&accelerators),
                provider,
                topologies: self.texts(document, &tool_word.topologies),
                counts: self
                    .tables
                    .tool_counts
                    .append(tool_word.counts.iter().copied()),
            });
        }
        let row = Tool {
            id: self.text(document, Some(&item.id)),
            name: self.text(document, Some(&item.name)),
            version: self.text(document, Some(&item.version)),
            words: self.tables.tool_words.append(words),
            providers: self.tables.tool_providers.append(providers),
            source: self.text(document, Some(&item.source)),
            as_of: self.date(document, &item.as_of),
        };
        self.tables.tools.push(row);
    }
}
