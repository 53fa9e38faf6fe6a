//! Facts other than accelerators, offers and prices, as texts that can be compared.

use std::collections::BTreeMap;
use std::fmt::Debug;

use sky_accel_core::catalog::{Catalog, FactKind, ModelName, Rows, Term, Tool, Upfront};
use sky_accel_core::money::Usd;
use sky_accel_core::sizing::{Architecture, Diffusion, Transcriber};
use sky_accel_core::text::number;

/// The fields of a fact.
pub(crate) struct Fact {
    /// The kind of a fact that the sizing of models depends on; `None` for others.
    pub kind: Option<FactKind>,
    pub fields: Vec<(&'static str, String)>,
}

/// The facts by kind and name, such as `model Llama-3.1-8B`.
pub(crate) type Facts = BTreeMap<[String; 1], Fact>;

/// Returns every fact of the tables that [`diff`](crate::diff()) does not compare elsewhere.
pub(crate) fn facts(catalog: &Catalog<'_>) -> Facts {
    let mut facts = FactCollector {
        catalog,
        facts: Facts::new(),
    };
    facts.providers();
    facts.devices();
    facts.software();
    facts.engines();
    facts.tools();
    facts.models();
    facts.token_prices();
    facts.formats();
    facts.mig();
    facts.guide();
    facts.facts
}

struct FactCollector<'c, 'a> {
    catalog: &'c Catalog<'a>,
    facts: Facts,
}

/// Returns the debug output of a value; tuples print only the values of their fields.
fn plain(value: &impl Debug) -> String {
    format!("{value:?}")
}

fn list(catalog: &Catalog<'_>, rows: Rows) -> String {
    catalog.strings(rows).collect::<Vec<_>>().join(", ")
}

impl FactCollector<'_, '_> {
    fn add(&mut self, kind: &str, name: &str, fields: Vec<(&'static str, String)>) {
        self.insert(&format!("{kind} {name}"), Fact { kind: None, fields });
    }

    /// Adds a fact that sizing depends on.
    fn add_sizing(&mut self, kind: FactKind, name: &str, fields: Vec<(&'static str, String)>) {
        let fact = Fact {
            kind: Some(kind),
            fields,
        };
        self.insert(&format!("{kind} {name}"), fact);
    }

    fn insert(&mut self, name: &str, fact: Fact) {
        // Facts with equal names are compared together.
        match self.facts.entry([name.trim_end().to_owned()]) {
            std::collections::btree_map::Entry::Vacant(entry) => {
                entry.insert(fact);
            }
            std::collections::btree_map::Entry::Occupied(mut entry) => {
                let known = &mut entry.get_mut().fields;
                for ((_, known), (_, more)) in known.iter_mut().zip(fact.fields) {
                    known.push_str("; ");
                    known.push_str(&more);
                }
            }
        }
    }

    fn providers(&mut self) {
        let catalog = self.catalog;
        for row in catalog.providers {
            let default = row.default_region.map(|id| catalog.region_id(id));
            let rules = (
                (row.sells, row.tenant_mig, row.sells_reservations),
                (row.tells_stock, row.price_max_age_days),
                (row.is_broker, row.is_auction, row.windows_usd_per_vcpu),
                row.has_all_types_everywhere,
            );
            let fields = vec![
                ("name", catalog.str(row.name).to_owned()),
                ("aliases", list(catalog, row.aliases)),
                ("default_region", default.unwrap_or_default().to_owned()),
                ("tiers", list(catalog, row.tiers)),
                ("marketplace_tiers", list(catalog, row.marketplace_tiers)),
                ("groups", list(catalog, row.groups)),
                ("billing", catalog.str(row.billing).to_owned()),
                ("billing_unit_s", plain(&row.billing_unit_s)),
                ("billing_minimum_s", plain(&row.billing_minimum_s)),
                ("docs", catalog.str(row.docs).to_owned()),
                ("link", catalog.str(row.link).to_owned()),
                ("rules", plain(&rules)),
            ];
            self.add("provider", catalog.str(row.id), fields);
        }
        for row in catalog.hosts {
            let prices = catalog.host_prices.run(row.prices).iter();
            let prices = prices.map(|price| {
                let region = catalog.region_id(price.region);
                let usd = number(price.usd_per_vcpu.decimal());
                let spot = price.spot_usd_per_vcpu;
                let spot = spot.map(|usd| format!(" and {} as spot", number(usd.decimal())));
                format!("{region} {usd}{}", spot.unwrap_or_default())
            });
            let fields = vec![
                ("sizes", plain(&catalog.host_sizes.run(row.sizes).to_vec())),
                ("gib_per_vcpu", number(row.gib_per_vcpu)),
                ("price list", prices.collect::<Vec<_>>().join(", ")),
            ];
            let provider = catalog.provider_id(row.provider);
            self.add(
                "host",
                &format!("{provider} {}", catalog.str(row.family)),
                fields,
            );
        }
        for row in catalog.host_limits {
            let provider = catalog.provider_id(row.provider);
            let accelerator = catalog.accelerator_id(row.accelerator);
            let fields = vec![
                ("vcpu", row.vcpu.to_string()),
                ("memory_gb", number(row.memory_gb)),
            ];
            let name = format!("{provider} {accelerator} x{}", row.count);
            self.add("limit of hosts", &name, fields);
        }
        for row in catalog.networks {
            let fields = vec![
                ("fabric", row.fabric.word().to_owned()),
                ("gbit_per_s", number(row.gbit_per_s)),
            ];
            let provider = catalog.provider_id(row.provider);
            let name = format!("{provider} {}", catalog.str(row.instance_type));
            self.add("network", &name, fields);
        }
        self.charges();
        self.commitments();
        for row in catalog.currencies {
            let fields = vec![("usd", number(row.usd))];
            self.add("currency", catalog.str(row.code), fields);
        }
        for row in catalog.region_groups {
            let fields = vec![("countries", list(catalog, row.countries))];
            self.add("group of regions", catalog.str(row.name), fields);
        }
    }

    fn charges(&mut self) {
        let catalog = self.catalog;
        let decimal = |nano: u64| (nano as f64 / 1e9).to_string();
        for row in catalog.charges {
            let tiers = catalog.tiers_of(&row).iter();
            let tiers: Vec<String> = tiers
                .map(|tier| format!("{} above {}", decimal(tier.price), tier.above))
                .collect();
            let fields = vec![
                ("rule", row.rule.word().to_owned()),
                ("unit", row.unit.word().to_owned()),
                ("currency", catalog.str(row.currency).to_owned()),
                ("price", row.price.map(decimal).unwrap_or_default()),
                ("free", row.free.to_string()),
                ("tiers", tiers.join(", ")),
                ("seconds", plain(&(row.least_s, row.most_s))),
                ("note", catalog.str(row.note).to_owned()),
                ("sure", row.sure.word().to_owned()),
            ];
            let provider = catalog.provider_id(row.provider);
            let mut name = format!("{provider} {}", row.item);
            if let Some(region) = row.region {
                name = format!("{name} {}", catalog.region_id(region));
            }
            self.add("charge", &name, fields);
        }
    }

    fn commitments(&mut self) {
        let catalog = self.catalog;
        for row in catalog.commitment_programs {
            let derived = catalog.derived_payments.run(row.derived).iter();
            let derived: Vec<String> = derived
                .map(|payment| {
                    let term = Term::of_days(payment.days);
                    format!("{term} {} {}", payment.upfront, payment.share)
                })
                .collect();
            let fields = vec![
                ("name", catalog.str(row.name).to_owned()),
                ("billing", row.billing.word().to_owned()),
                ("at_end", catalog.str(row.at_end).to_owned()),
                ("derived", derived.join(", ")),
            ];
            self.add("kind of commitment", catalog.str(row.id), fields);
        }
        for row in catalog.commitments {
            let provider = catalog.provider_id(row.provider);
            let program = catalog.str(catalog.program(&row).id);
            let upfront = row.upfront.map_or("", Upfront::word);
            let region = row.region.map_or("", |id| catalog.region_id(id));
            let parts = [
                provider,
                catalog.str(row.offer),
                program,
                &row.term().to_string(),
                upfront,
                region,
            ];
            let name: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
            let fields = vec![
                ("basis", row.basis.word().to_owned()),
                ("figure", number(Usd(row.figure).decimal())),
                ("as_of", catalog.str(row.as_of).to_owned()),
            ];
            self.add("commitment", &name.join(" "), fields);
        }
    }

    fn devices(&mut self) {
        let catalog = self.catalog;
        let text = |text| catalog.str(text).to_owned();
        for row in catalog.sharing {
            let ids = catalog.accelerators(row.accelerators).iter();
            let ids: Vec<&str> = ids.map(|id| catalog.accelerator_id(id)).collect();
            let figures = (
                (row.devices, row.accelerators_needed, row.cores),
                (row.memory_gb, row.memory_mib),
            );
            let fields = vec![
                ("figures", plain(&figures)),
                ("topology", text(row.topology)),
                ("set_by", text(row.set_by)),
            ];
            let kind = format!("{} {}", row.kind, catalog.str(row.name));
            self.add(&kind, &format!("of {}", ids.join(" or ")), fields);
        }
        for id in catalog.accelerator_ids() {
            let rows = catalog.disputed(&catalog.accelerator(id)).iter();
            let figures: Vec<String> = rows
                .map(|row| format!("{} {}", catalog.str(row.field), catalog.str(row.also)))
                .collect();
            if !figures.is_empty() {
                let fields = vec![("figures", figures.join(", "))];
                self.add("disputed of", catalog.accelerator_id(id), fields);
            }
        }
        let quoted = catalog.quoted_memory.iter();
        let quoted: Vec<String> = quoted.map(|row| plain(&(row.gb, row.count))).collect();
        self.add("quoted memory", "", vec![("sizes", quoted.join(", "))]);
    }

    fn software(&mut self) {
        let catalog = self.catalog;
        let text = |text| catalog.str(text).to_owned();
        for row in catalog.vendors {
            let fields = vec![("aliases", list(catalog, row.aliases))];
            self.add("vendor", catalog.str(row.name), fields);
        }
        for row in catalog.sdks {
            let fields = vec![
                ("kubernetes", text(row.kubernetes)),
                ("list_command", text(row.list_command)),
                ("docker", list(catalog, row.docker)),
                ("engines", list(catalog, row.engines)),
                ("unmeasured", list(catalog, row.unmeasured)),
            ];
            self.add("sdk", catalog.str(row.id), fields);
        }
        for row in catalog.quotas {
            let provider = catalog.provider_id(row.provider);
            for family in catalog.strings(row.families) {
                // The first quota of a family applies.
                let key = [format!("quota {provider} {family}")];
                let fields = vec![("on_demand", text(row.on_demand)), ("spot", text(row.spot))];
                self.facts.entry(key).or_insert(Fact { kind: None, fields });
            }
        }
        for row in catalog.cuda_releases {
            let fields = vec![("driver_min", text(row.driver_min))];
            self.add("cuda", catalog.str(row.version), fields);
        }
        for row in catalog.coefficients {
            let mut name = format!("{} {}", catalog.str(row.name), catalog.str(row.scope));
            if let Some(before) = catalog.text(row.before) {
                name = format!("{name} before {before}");
            }
            self.add_sizing(
                FactKind::Coefficient,
                &name,
                vec![("value", number(row.value))],
            );
        }
        for row in catalog.links {
            let name = format!("{} {}", catalog.str(row.name), row.devices);
            let fields = vec![
                ("latency_us", number(row.latency_us)),
                ("sum_share", number(row.sum_share)),
                ("exchange_share", number(row.exchange_share)),
            ];
            self.add("link", &name, fields);
        }
    }

    fn engines(&mut self) {
        let catalog = self.catalog;
        for row in catalog.engine_images {
            let name = format!("{} {}", row.engine, catalog.str(row.vendor));
            let fields = vec![
                ("image", catalog.str(row.image).to_owned()),
                ("version", catalog.str(row.version).to_owned()),
                ("versioned", row.versioned.to_string()),
            ];
            self.add("engine_image", &name, fields);
        }
        for row in catalog.start_recipes {
            let models: Vec<&str> = catalog.strings(row.models).collect();
            let devices = [catalog.str(row.vendor)].into_iter();
            let devices: Vec<&str> = devices.chain(catalog.strings(row.architectures)).collect();
            let name = format!("{} {} {}", row.engine, devices.join(" "), models.join(" "));
            let fields = vec![
                ("arguments", list(catalog, row.arguments)),
                ("variables", list(catalog, row.variables)),
            ];
            self.add("recipe", &name, fields);
        }
        for row in catalog.quality_losses {
            let name = format!("{} of {}", catalog.str(row.format), row.part);
            let fields = vec![
                ("low", number(row.low)),
                ("high", number(row.high)),
                ("measure", row.measure.word().to_owned()),
            ];
            self.add("quality_loss", &name, fields);
        }
        for row in catalog.engine_lacks {
            let formats: Vec<&str> = catalog.strings(row.formats).collect();
            let work = if row.training {
                "training"
            } else {
                "inference"
            };
            let name = format!("{} {work} {} {}", row.engine, row.axis, formats.join(" "));
            self.add("engine_lack", &name, Vec::new());
        }
        let text = |text| catalog.str(text).to_owned();
        for row in catalog.engine_formats {
            let formats: Vec<&str> = catalog.strings(row.formats).collect();
            let work = if row.training {
                "training"
            } else {
                "inference"
            };
            let devices: Vec<&str> = catalog.strings(row.architectures).collect();
            let name = format!(
                "{} {} {work} {} {}",
                row.engine,
                formats.join(" "),
                catalog.str(row.from),
                devices.join(" ")
            );
            let fields = vec![
                ("below", text(row.below)),
                ("computed", row.computed.word().to_owned()),
                ("since", text(row.since)),
            ];
            self.add("engine_format", &name, fields);
        }
    }

    fn tools(&mut self) {
        let catalog = self.catalog;
        for row in catalog.tools {
            let fields = vec![
                ("words", words(catalog, &row)),
                ("providers", providers(catalog, &row)),
            ];
            self.add("tool", catalog.str(row.id), fields);
        }
    }

    fn models(&mut self) {
        let catalog = self.catalog;
        for row in catalog.models {
            let mut fields = shape(&row.shape);
            let checkpoint = row.checkpoint_parameters.map(number);
            fields.push(("checkpoint_parameters", checkpoint.unwrap_or_default()));
            fields.push(("stored_as", catalog.str(row.stored_as).to_owned()));
            fields.push(("min_vllm", catalog.str(row.min_vllm).to_owned()));
            let block = row.fp8_block.map(|width| width.to_string());
            fields.push(("fp8_block", block.unwrap_or_default()));
            fields.push(("no_fp16", row.no_fp16.to_string()));
            fields.push(("kind", row.kind.word().to_owned()));
            self.add_sizing(FactKind::Model, catalog.str(row.id), fields);
        }
        for row in catalog.media_models {
            let fields = vec![
                ("kind", row.kind.word().to_owned()),
                ("unit", catalog.str(row.unit).to_owned()),
                ("parts", list(catalog, row.parts)),
                ("parameters", number(row.parameters)),
                ("activations", number(row.activations)),
                (
                    "diffusion",
                    row.diffusion.map(diffusion).unwrap_or_default(),
                ),
                (
                    "transcriber",
                    row.transcriber.map(transcriber).unwrap_or_default(),
                ),
                ("min_vllm", catalog.str(row.min_vllm).to_owned()),
                ("refused", catalog.str(row.refused).to_owned()),
                ("draft_of", catalog.str(row.draft_of).to_owned()),
                ("names", list(catalog, row.names)),
            ];
            self.add_sizing(FactKind::Model, catalog.str(row.id), fields);
        }
        for row in catalog.model_scores {
            let model = catalog.models.get(usize::from(row.model));
            let fields = vec![
                ("score", number(row.score)),
                ("leaderboard", catalog.str(row.leaderboard).to_owned()),
            ];
            self.add(
                "score",
                model.map_or("", |model| catalog.str(model.id)),
                fields,
            );
        }
        for row in catalog.model_names {
            let model = catalog.models.get(usize::from(row.model));
            let model = model.map_or("", |model| catalog.str(model.id));
            let fields = vec![
                ("model", model.to_owned()),
                ("stored_as", catalog.str(row.stored_as).to_owned()),
                ("min_vllm", catalog.str(row.min_vllm).to_owned()),
                ("exact", format!("{:?}", exact(catalog, &row))),
            ];
            self.add("name of a model", catalog.str(row.text), fields);
        }
        for row in catalog.families {
            let rules = (
                (row.gated, row.tied, row.norms_per_layer, row.parallel),
                (
                    row.both_halves,
                    row.biases,
                    row.attention_bias,
                    row.one_bias,
                ),
                (row.qk_norm, row.qk_norm_by_default, row.positions),
                (
                    row.window_pattern,
                    row.embedding_norm,
                    row.expert_biases,
                    row.encoder,
                ),
                (row.router_bias, row.shared_gate, row.sinks),
                (row.recurrence, row.arrangement, row.recurrence_norm),
                (row.head_gates, row.layer_scales),
            );
            let Rows { start, len } = row.defaults;
            let defaults = catalog.family_defaults.iter();
            let defaults = defaults.skip(start as usize).take(len as usize);
            let defaults: Vec<String> = defaults
                .map(|(field, value)| format!("{} {value}", catalog.str(field)))
                .collect();
            let fields = vec![("rules", plain(&rules)), ("defaults", defaults.join(", "))];
            self.add_sizing(FactKind::Family, &list(catalog, row.model_types), fields);
        }
    }

    fn token_prices(&mut self) {
        let catalog = self.catalog;
        for row in catalog.token_prices {
            let seller = catalog.token_seller(&row);
            let usd = |usd: Option<Usd>| usd.map_or_else(String::new, |usd| number(usd.decimal()));
            let fields = vec![
                ("model", catalog.str(row.model).to_owned()),
                ("variant", catalog.str(row.variant).to_owned()),
                ("precision", catalog.str(row.precision).to_owned()),
                ("unit", row.unit.word().to_owned()),
                ("input_usd", usd(row.input)),
                ("output_usd", usd(row.output)),
                ("cached_usd", usd(row.cached)),
                ("retires", catalog.str(row.retires).to_owned()),
            ];
            let (seller, id) = (catalog.str(seller.id), catalog.str(row.id));
            self.add("price of tokens", &format!("{seller} {id}"), fields);
        }
    }

    fn formats(&mut self) {
        let catalog = self.catalog;
        for row in catalog.weight_formats {
            let fields = vec![
                ("format", plain(&row.format)),
                ("group", plain(&row.group)),
                ("engine", catalog.str(row.engine).to_owned()),
                ("common", row.is_common.to_string()),
                ("rate", catalog.str(row.rate).to_owned()),
                ("computed_on", list(catalog, row.computed_on)),
                ("not_computed_on", list(catalog, row.not_computed_on)),
            ];
            self.add_sizing(FactKind::Format, catalog.str(row.name), fields);
        }
    }

    fn mig(&mut self) {
        let catalog = self.catalog;
        for row in catalog.geometries {
            let profiles = catalog.profiles(&row).iter().map(|profile| {
                let figures = (
                    (profile.id, profile.max, profile.compute_slices),
                    (
                        profile.memory_mib,
                        profile.sm,
                        profile.engines,
                        profile.size,
                    ),
                );
                let name = catalog.str(profile.name);
                format!("{name} {figures:?} at {:?}", catalog.starts(&profile))
            });
            let profiles: Vec<String> = profiles.collect();
            let bounds = (row.units, row.max_compute, row.max_graphics);
            let Rows { start, len } = row.said_by;
            let tools = catalog.said_by.iter();
            let tools = tools.skip(start as usize).take(len as usize).map(|said| {
                let (tool, name) = (catalog.str(said.tool), catalog.str(said.name));
                format!("{tool} {name}: {}", list(catalog, said.profiles))
            });
            let tools: Vec<String> = tools.collect();
            let fields = vec![
                ("bounds", plain(&bounds)),
                ("profiles", profiles.join(", ")),
                ("tools", tools.join("; ")),
            ];
            self.add("geometry", catalog.str(row.id), fields);
        }
        let instances = catalog.compute_instances.iter();
        let instances = instances.map(|row| plain(&(row.of, row.compute, row.id, row.max)));
        let instances: Vec<String> = instances.collect();
        self.add(
            "compute instances",
            "",
            vec![("sizes", instances.join(", "))],
        );
    }

    fn guide(&mut self) {
        let catalog = self.catalog;
        let text = |text| catalog.str(text).to_owned();
        for row in catalog.guide_workloads {
            let fields = vec![
                ("flags", list(catalog, row.flags)),
                ("pick", list(catalog, row.pick)),
            ];
            self.add("guide", catalog.str(row.workload), fields);
        }
        for row in catalog.guide_sizes {
            let fields = vec![
                ("up_to", row.up_to.map(number).unwrap_or_default()),
                ("minimum", text(row.minimum)),
                ("recommended", text(row.recommended)),
            ];
            self.add("guide", catalog.str(row.title), fields);
        }
        for row in catalog.guide_strategies {
            let fields = vec![("cheap", text(row.cheap)), ("dear", text(row.dear))];
            self.add("guide", catalog.str(row.strategy), fields);
        }
    }
}

/// Returns the shape of a model, field by field.
/// The facts of a diffusion transformer as one text.
fn diffusion(model: Diffusion) -> String {
    let Diffusion {
        hidden,
        layers,
        head_dim,
        token_parameters,
        patch,
        frame_stride,
        frame_patch,
        prompt_tokens,
        is_joint,
        encoder_parameters,
        references,
        passes,
        is_linear,
        decoder,
        steps,
        height,
        width,
        frames,
    } = model;
    format!(
        "hidden {hidden}, layers {layers}, head_dim {head_dim}, token_parameters {token_parameters}, patch {patch}, frame_stride {frame_stride}, frame_patch {frame_patch}, prompt_tokens {prompt_tokens}, joint {is_joint}, encoder {encoder_parameters}, references {references}, passes {passes}, linear {is_linear}, decoder {decoder}, steps {steps}, height {height}, width {width}, frames {frames}"
    )
}

/// The facts of a model that writes down speech as one text.
fn transcriber(model: Transcriber) -> String {
    let Transcriber {
        encoder_parameters,
        frames_per_s,
        window_s,
        hidden,
        layers,
        decoder_parameters,
        decoder_layers,
    } = model;
    format!(
        "encoder {encoder_parameters}, frames_per_s {frames_per_s}, window_s {window_s}, hidden {hidden}, layers {layers}, decoder {decoder_parameters}, decoder_layers {decoder_layers}"
    )
}

fn shape(shape: &Architecture) -> Vec<(&'static str, String)> {
    let Architecture {
        hidden,
        layers,
        heads,
        kv_heads,
        head_dim,
        ffn,
        vocab,
        tied,
        gated,
        biases,
        qk_norm,
        norms_per_layer,
        positions,
        window,
        experts,
        mla,
        sparse,
        compressed,
        cache_width,
        mlp_layers,
        attention_layers,
        state_values,
        other_matrices,
        extra_parameters,
        image_parameters,
        vision,
        context,
        yarn,
    } = shape;
    vec![
        ("hidden", plain(hidden)),
        ("layers", plain(layers)),
        ("heads", plain(heads)),
        ("kv_heads", plain(kv_heads)),
        ("head_dim", plain(head_dim)),
        ("ffn", plain(ffn)),
        ("vocab", plain(vocab)),
        ("tied", plain(tied)),
        ("gated", plain(gated)),
        ("biases", plain(biases)),
        ("qk_norm", plain(qk_norm)),
        ("norms_per_layer", plain(norms_per_layer)),
        ("positions", plain(positions)),
        ("window", plain(window)),
        ("experts", plain(experts)),
        ("mla", plain(mla)),
        ("sparse", plain(sparse)),
        ("compressed", plain(compressed)),
        ("cache_width", plain(cache_width)),
        ("mlp_layers", plain(mlp_layers)),
        ("attention_layers", plain(attention_layers)),
        ("state_values", plain(state_values)),
        ("other_matrices", plain(other_matrices)),
        ("extra_parameters", plain(extra_parameters)),
        ("image_parameters", plain(image_parameters)),
        ("vision", plain(vision)),
        ("context", plain(context)),
        ("yarn", plain(yarn)),
    ]
}

/// Returns a tool's words for accelerators.
fn words(catalog: &Catalog<'_>, tool: &Tool) -> String {
    let words = catalog.tool_words(tool).iter().map(|word| {
        let accelerators = catalog.accelerators(word.accelerators).iter();
        let accelerators: Vec<&str> = accelerators.map(|id| catalog.accelerator_id(id)).collect();
        let counts = catalog.counts_of(&word);
        let topologies = list(catalog, word.topologies);
        let (word, accelerators) = (catalog.str(word.word), accelerators.join(" or "));
        format!("{word} = {accelerators} {counts:?} {topologies}")
    });
    words.collect::<Vec<_>>().join(", ")
}

/// Returns a tool's words for providers, and the features that it lacks there.
fn providers(catalog: &Catalog<'_>, tool: &Tool) -> String {
    let Rows { start, len } = tool.providers;
    let rows = catalog.tool_providers.iter();
    let rows = rows.skip(start as usize).take(len as usize).map(|row| {
        let lacks = list(catalog, row.lacks);
        let provider = catalog.provider_id(row.provider);
        let (types, sells) = (row.takes_types, list(catalog, row.sells));
        format!(
            "{provider} = {} without {lacks:?}, types {types}, sells {sells:?}",
            catalog.str(row.word)
        )
    });
    rows.collect::<Vec<_>>().join(", ")
}

/// The bits and the cache of a checkpoint that differ from its format.
type ExactBits = (Option<f64>, Option<f64>, Option<f64>, String);

/// Returns what a checkpoint has instead of the usual bits of its format.
fn exact(catalog: &Catalog<'_>, row: &ModelName) -> Option<ExactBits> {
    let exact = catalog.checkpoint_format(row)?;
    let cache = catalog.str(exact.kv_cache).to_owned();
    Some((exact.bits, exact.attention_bits, exact.mlp_bits, cache))
}
