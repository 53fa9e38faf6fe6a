//! Slices in the words of the tools that make them, and of those that ask for them.

use std::fmt::{self, Write as _};

use super::chip::{Chip, Counts};
use super::demand::{Gpu, Slice};
use super::names::Attribute;
use super::place::{Instance, counted};
use crate::catalog::{AcceleratorId, Catalog, Geometry, Profile};

/// GPUs with their slices.
#[derive(Clone, Copy, Debug)]
pub struct Layout<'l, 'a> {
    pub chip: &'l Chip<'a>,
    /// All that it may be: their slices have the same names and places.
    pub accelerators: &'l [AcceleratorId],
    pub gpus: &'l [Gpu],
}

/// Names of `nvidia-mig-parted` and how many of each.
type Devices = Vec<(String, u32)>;

/// Why a tool has no words for a layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CannotSay(pub String);

impl fmt::Display for CannotSay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for CannotSay {}

/// What other tools call a profile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProfileNames<'a> {
    /// The Kubernetes resource with the device plugin's strategy `mixed`.
    pub kubernetes: String,
    /// The GPU operator's configuration that cuts every GPU of a node like that.
    pub gpu_operator: String,
    /// The partition size of a GKE node pool.
    pub gke: Option<&'a str>,
    /// The GPU instance profile of an AKS node pool.
    pub aks: Option<String>,
    /// The partition that the Flyte SDK accepts, and the GPU that it names.
    pub flyte: Option<(&'a str, &'a str)>,
}

/// What other tools call a profile.
pub fn names<'a>(
    catalog: &Catalog<'a>,
    geometry: &Geometry,
    profile: &Profile,
) -> ProfileNames<'a> {
    let name = catalog.str(profile.name);
    let said = |tool: &str| {
        let own = catalog.said_by(geometry, tool)?;
        let knows = catalog.strings(own.profiles).any(|known| known == name);
        knows.then(|| catalog.str(own.name))
    };
    ProfileNames {
        kubernetes: resource(name),
        gpu_operator: format!("all-{}", dotted(name)),
        gke: said("gke").map(|_| name),
        aks: said("aks").map(|_| format!("MIG{}g", profile.compute_slices)),
        flyte: said("flyte").map(|gpu| (gpu, name)),
    }
}

fn placed(gpu: &Gpu) -> Vec<Instance> {
    gpu.slices.iter().map(|slice| slice.instance).collect()
}

/// Kubernetes and configuration names have no `+`.
fn dotted(name: &str) -> String {
    name.replace('+', ".")
}

fn resource(name: &str) -> String {
    format!("nvidia.com/mig-{}", dotted(name))
}

/// So many slices of one kind.
struct Count<'l> {
    kind: usize,
    name: &'l str,
    n: u32,
}

impl<'l> Layout<'l, '_> {
    /// The slices that are made, by name.
    pub fn slices(&self) -> Vec<(String, u32)> {
        let mut all = Devices::new();
        for gpu in self.gpus {
            let own = Gpu {
                existing: Vec::new(),
                ..gpu.clone()
            };
            for (name, n) in self.parted_devices(&own) {
                match all.iter_mut().find(|(known, _)| *known == name) {
                    Some((_, count)) => *count += n,
                    None => all.push((name, n)),
                }
            }
        }
        all
    }

    /// `nvidia-smi` commands that make the slices. Starts are explicit: the driver's own choice is
    /// not documented. A GPU that is cut already is in MIG mode.
    pub fn nvidia_smi(&self) -> String {
        let mut text = String::new();
        for gpu in self.gpus {
            let index = gpu.index;
            if gpu.existing.is_empty() {
                let _ = writeln!(text, "nvidia-smi -i {index} -mig 1");
            }
            let (whole, cut): (Vec<&Slice>, Vec<&Slice>) =
                gpu.slices.iter().partition(|slice| slice.parts.is_empty());
            let whole: Vec<String> = whole.iter().map(|s| self.at(&s.instance)).collect();
            if !whole.is_empty() {
                let all = whole.join(",");
                let _ = writeln!(text, "nvidia-smi mig -i {index} -cgi {all} -C");
            }
            for slice in cut {
                let place = self.at(&slice.instance);
                let instance = self.instance_id(index, &slice.instance);
                let parts: Vec<String> = slice
                    .parts
                    .iter()
                    .map(|part| self.part(slice, *part))
                    .collect();
                let _ = writeln!(text, "nvidia-smi mig -i {index} -cgi {place}");
                let _ = writeln!(
                    text,
                    "nvidia-smi mig -i {index} -gi {instance} -cci {}",
                    parts.join(",")
                );
            }
        }
        text
    }

    /// Commands that take the slices off again, in the order that it takes, and leave what was
    /// there before.
    pub fn nvidia_smi_undo(&self) -> String {
        let mut text = String::new();
        for gpu in self.gpus {
            let index = gpu.index;
            if gpu.existing.is_empty() {
                let _ = writeln!(text, "nvidia-smi mig -i {index} -dci");
                let _ = writeln!(text, "nvidia-smi mig -i {index} -dgi");
                let _ = writeln!(text, "nvidia-smi -i {index} -mig 0");
                continue;
            }
            for slice in &gpu.slices {
                let instance = self.instance_id(index, &slice.instance);
                let _ = writeln!(text, "nvidia-smi mig -i {index} -gi {instance} -dci");
                let _ = writeln!(text, "nvidia-smi mig -i {index} -gi {instance} -dgi");
            }
        }
        text
    }

    /// `9:4`: a profile with its start, as `-cgi` takes it.
    fn at(&self, instance: &Instance) -> String {
        let kind = &self.chip.kinds[instance.kind];
        let id = kind.profile.id.map(|id| id.to_string());
        let profile = id.unwrap_or_else(|| kind.name.to_owned());
        match instance.start {
            Some(start) => format!("{profile}:{start}"),
            None => profile,
        }
    }

    /// The driver numbers GPU instances as it likes: the number is looked up by the place.
    fn instance_id(&self, index: u32, instance: &Instance) -> String {
        let size = self.chip.kinds[instance.kind].size();
        match instance.start.zip(size) {
            Some((start, size)) => format!(
                "\"$(nvidia-smi mig -i {index} -lgi | awk '$7 == \"{start}:{size}\" {{ print $6 }}')\""
            ),
            None => "\"$GPU_INSTANCE_ID\"".to_owned(),
        }
    }

    /// A compute instance as `-cci` takes it.
    fn part(&self, slice: &Slice, compute: u8) -> String {
        let of = self.chip.kinds[slice.instance.kind].profile.compute_slices;
        let mut all = self.chip.catalog.compute_instances(of);
        let known = all.find(|own| own.compute == compute);
        known.map_or_else(|| self.part_name(slice, compute), |own| own.id.to_string())
    }

    fn part_name(&self, slice: &Slice, compute: u8) -> String {
        format!("{compute}c.{}", self.chip.kinds[slice.instance.kind].name)
    }

    /// A configuration for `nvidia-mig-parted`, with one that undoes it. It counts instances and
    /// places them itself; it clears a GPU first, so what is there is in it too.
    pub fn mig_parted(&self) -> String {
        // GPUs that are cut alike stand in one entry.
        let mut entries: Vec<(Vec<u32>, Devices)> = Vec::new();
        for gpu in self.gpus {
            let devices = self.parted_devices(gpu);
            match entries.last_mut().filter(|(_, last)| *last == devices) {
                Some((gpus, _)) => gpus.push(gpu.index),
                None => entries.push((vec![gpu.index], devices)),
            }
        }
        let list = |gpus: &[u32]| -> String {
            let all: Vec<String> = gpus.iter().map(ToString::to_string).collect();
            format!("[{}]", all.join(", "))
        };
        let mut text = String::from("version: v1\nmig-configs:\n  sky-accel:\n");
        for (gpus, devices) in &entries {
            let _ = writeln!(text, "    - devices: {}", list(gpus));
            text.push_str("      mig-enabled: true\n      mig-devices:\n");
            for (name, n) in devices {
                let _ = writeln!(text, "        \"{name}\": {n}");
            }
        }
        let all: Vec<u32> = self.gpus.iter().map(|gpu| gpu.index).collect();
        let _ = writeln!(text, "  all-disabled:\n    - devices: {}", list(&all));
        text.push_str("      mig-enabled: false\n");
        text
    }

    fn parted_devices(&self, gpu: &Gpu) -> Devices {
        let mut devices = Devices::new();
        let mut add =
            |name: String, n: u32| match devices.iter_mut().find(|(known, _)| *known == name) {
                Some((_, count)) => *count += n,
                None => devices.push((name, n)),
            };
        let mut whole = counted(self.chip, &gpu.existing);
        for slice in gpu.slices.iter().filter(|slice| slice.parts.is_empty()) {
            whole[slice.instance.kind] += 1;
        }
        for (kind, n) in self.chip.kinds.iter().zip(whole).filter(|(_, n)| *n > 0) {
            add(kind.name.to_owned(), n);
        }
        for slice in &gpu.slices {
            for part in &slice.parts {
                add(self.part_name(slice, *part), 1);
            }
        }
        devices
    }

    /// What containers ask for, with the device plugin's strategies `mixed` and `single`.
    pub fn kubernetes(&self) -> Result<String, CannotSay> {
        let counts = self.counts("the device plugin")?;
        let mut documents = Vec::new();
        for own in &counts {
            documents.push(format!(
                "# MIG strategy \"mixed\": {}\nresources:\n  limits:\n    {}: 1\n",
                containers(own.n),
                resource(own.name)
            ));
        }
        if let [own] = &counts[..] {
            let mut document = format!(
                "# MIG strategy \"single\", every GPU of the node cut into {} only: {}\nresources:\n  limits:\n    nvidia.com/gpu: 1\n",
                own.name,
                containers(own.n)
            );
            let products = self.products();
            let labels: Vec<String> = products
                .iter()
                .map(|name| format!("{}-MIG-{}", name.replace(' ', "-"), dotted(own.name)))
                .collect();
            match &labels[..] {
                [] => {}
                [label] => {
                    let _ = writeln!(document, "nodeSelector:\n  nvidia.com/gpu.product: {label}");
                }
                labels => {
                    let _ = write!(
                        document,
                        "affinity:\n  nodeAffinity:\n    requiredDuringSchedulingIgnoredDuringExecution:\n      nodeSelectorTerms:\n        - matchExpressions:\n            - key: nvidia.com/gpu.product\n              operator: In\n              values: [{}]\n",
                        labels.join(", ")
                    );
                }
            }
            documents.push(document);
        }
        Ok(documents.join("---\n"))
    }

    /// What the operator's `all-balanced` makes of a GPU.
    fn balanced(&self) -> Option<Counts> {
        let mut counts = self.chip.none();
        let parts: &[(u8, u32)] = match self.chip.compute {
            7 => &[(1, 2), (2, 1), (3, 1)],
            4 => &[(1, 2), (2, 1)],
            _ => return None,
        };
        for (compute, n) in parts {
            // The smallest plain one.
            let plain = |kind: &usize| {
                let own = &self.chip.kinds[*kind];
                own.profile.compute_slices == *compute && !own.name.contains(['+', '-'])
            };
            let all = (0..self.chip.kinds.len()).filter(plain);
            counts[all.min_by_key(|kind| self.chip.kinds[*kind].size())?] = *n;
        }
        Some(counts)
    }

    /// What the GPU operator's MIG manager takes: a label where it has a configuration for it, a
    /// configuration of its own elsewhere.
    pub fn gpu_operator(&self) -> Result<String, CannotSay> {
        let counts = self.counts("the MIG manager's device plugin")?;
        let label = |config: &str| {
            format!("kubectl label node \"$NODE\" nvidia.com/mig.config={config} --overwrite")
        };
        let is_full = |gpu: &Gpu| match &counts[..] {
            [own] => gpu.slices.len() == usize::from(self.chip.kinds[own.kind].profile.max),
            _ => false,
        };
        let is_new = self.gpus.iter().all(|gpu| gpu.existing.is_empty());
        let is_balanced = |gpu: &Gpu| {
            let balanced = self.balanced();
            balanced.is_some_and(|balanced| counted(self.chip, &placed(gpu)) == balanced)
        };
        if is_new && self.gpus.iter().all(is_balanced) {
            return Ok(format!(
                "# Cuts every GPU of the node; mig.strategy is mixed. To undo it: {}\n{}\n",
                label("all-disabled"),
                label("all-balanced")
            ));
        }
        if let [own] = &counts[..]
            && is_new
            && self.gpus.iter().all(is_full)
        {
            return Ok(format!(
                "# Cuts every GPU of the node. To undo it: {}\n{}\n",
                label("all-disabled"),
                label(&format!("all-{}", dotted(own.name)))
            ));
        }
        let mut text = format!(
            "# Make it the operator's migManager.config.name{}, then: {}\n# To undo it: {}\n",
            if counts.len() > 1 {
                ", set mig.strategy=mixed"
            } else {
                ""
            },
            label("sky-accel"),
            label("all-disabled")
        );
        text.push_str("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: sky-accel-mig\n  namespace: gpu-operator\ndata:\n  config.yaml: |\n");
        for line in self.mig_parted().lines() {
            let _ = writeln!(text, "    {line}");
        }
        Ok(text)
    }

    /// Claims for the DRA driver: one for all slices of a single GPU, which keeps them together; one
    /// for each profile where there are more.
    pub fn dra(&self) -> Result<String, CannotSay> {
        let counts = self.counts("the DRA driver")?;
        if let [_] = self.gpus {
            let requests: Vec<(&str, u32)> = counts.iter().map(|own| (own.name, own.n)).collect();
            return Ok(self.claim("sky-accel-mig", &requests));
        }
        let claims: Vec<String> = counts
            .iter()
            .map(|own| {
                let name = format!("sky-accel-{}", request_name(own.name));
                let claim = self.claim(&name, &[(own.name, 1)]);
                format!("# {}\n{claim}", containers(own.n))
            })
            .collect();
        Ok(claims.join("---\n"))
    }

    fn claim(&self, name: &str, requests: &[(&str, u32)]) -> String {
        let mut text = format!(
            "apiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata:\n  name: {name}\nspec:\n  spec:\n    devices:\n      requests:\n"
        );
        let products = self.products();
        for (profile, n) in requests {
            let mut wish = format!("device.attributes['gpu.nvidia.com'].profile == '{profile}'");
            // The same name is a different slice on another GPU.
            if !products.is_empty() {
                let all: Vec<String> = products.iter().map(|name| format!("'{name}'")).collect();
                let _ = write!(
                    wish,
                    " && device.attributes['gpu.nvidia.com'].productName in [{}]",
                    all.join(", ")
                );
            }
            let _ = write!(
                text,
                "        - name: {}\n          exactly:\n            deviceClassName: mig.nvidia.com\n            allocationMode: ExactCount\n            count: {n}\n            selectors:\n              - cel:\n                  expression: \"{wish}\"\n",
                request_name(profile)
            );
        }
        let slices: u32 = requests.iter().map(|(_, n)| n).sum();
        if slices > 1 {
            let names: Vec<String> = requests
                .iter()
                .map(|(name, _)| request_name(name))
                .collect();
            let _ = write!(
                text,
                "      constraints:\n        - requests: [{}]\n          matchAttribute: gpu.nvidia.com/parentUUID\n",
                names.join(", ")
            );
        }
        text
    }

    /// Resources of the Flyte SDK, one for each profile.
    pub fn flyte(&self) -> Result<String, CannotSay> {
        let counts = self.counts("Flyte")?;
        let mut text = String::from("import flyte\n\n");
        for own in &counts {
            let Some((gpu, partition)) = self.names(own.kind).flyte else {
                return Err(self.unknown("Flyte", "flyte", own.name));
            };
            let _ = writeln!(
                text,
                "# {}\nslice_{} = flyte.Resources(gpu=flyte.GPU(\"{gpu}\", 1, partition=\"{partition}\"))",
                tasks(own.n),
                request_name(own.name).replace('-', "_"),
            );
        }
        Ok(text)
    }

    /// A node pool of Google Kubernetes Engine, which cuts all its GPUs alike.
    pub fn gke(&self) -> Result<String, CannotSay> {
        let own = self.uniform("a GKE node pool")?;
        let Some(partition) = self.names(own.kind).gke else {
            return Err(self.unknown("GKE", "gke", own.name));
        };
        let catalog = &self.chip.catalog;
        let name = catalog.said_by(self.chip.geometry, "gke");
        let name = name.map_or("", |own| catalog.str(own.name));
        Ok(format!(
            "# Pods ask for nvidia.com/gpu: 1 and select cloud.google.com/gke-gpu-partition-size: {partition}\n\
             # To undo it: gcloud container node-pools delete sky-accel-mig --cluster \"$CLUSTER\" --location \"$LOCATION\"\n\
             gcloud container node-pools create sky-accel-mig --cluster \"$CLUSTER\" --location \"$LOCATION\" \
             --machine-type \"$MACHINE_TYPE\" --num-nodes {} \
             --accelerator type={name},count=1,gpu-partition-size={partition}\n",
            self.gpus.len()
        ))
    }

    /// A node pool of Azure Kubernetes Service, which cuts all its GPUs alike.
    pub fn aks(&self) -> Result<String, CannotSay> {
        let own = self.uniform("an AKS node pool")?;
        let Some(profile) = self.names(own.kind).aks else {
            return Err(self.unknown("AKS", "aks", own.name));
        };
        Ok(format!(
            "# To undo it: az aks nodepool delete --resource-group \"$RESOURCE_GROUP\" --cluster-name \"$CLUSTER\" --name skyaccelmig\n\
             az aks nodepool add --resource-group \"$RESOURCE_GROUP\" --cluster-name \"$CLUSTER\" --name skyaccelmig \
             --node-vm-size \"$VM_SIZE\" --node-count {} --gpu-instance-profile {profile}\n",
            self.gpus.len()
        ))
    }

    fn names(&self, kind: usize) -> ProfileNames<'_> {
        let own = self.chip.kinds[kind].profile;
        names(&self.chip.catalog, self.chip.geometry, own)
    }

    /// What drivers call the GPU.
    fn products(&self) -> Vec<&str> {
        let catalog = &self.chip.catalog;
        let each = self.accelerators.iter();
        let spellings = each.flat_map(|own| catalog.spellings_of(*own));
        let by_driver = spellings.filter(|own| catalog.str(own.dialect) == "nvidia-smi");
        by_driver.map(|own| catalog.str(own.text)).collect()
    }

    /// The new slices by profile; who cannot tell compute instances apart says so.
    fn counts(&self, who: &str) -> Result<Vec<Count<'l>>, CannotSay> {
        let mut counts = self.chip.none();
        for slice in self.gpus.iter().flat_map(|gpu| &gpu.slices) {
            if let Some(part) = slice.parts.first() {
                let name = self.part_name(slice, *part);
                let message =
                    format!("{who} hands out whole GPU instances: it has no word for {name}");
                return Err(CannotSay(message));
            }
            counts[slice.instance.kind] += 1;
        }
        let each = self.chip.kinds.iter().zip(counts).enumerate();
        let there = each.filter(|(_, (_, n))| *n > 0);
        Ok(there
            .map(|(kind, (own, n))| Count {
                kind,
                name: own.name,
                n,
            })
            .collect())
    }

    fn uniform(&self, who: &str) -> Result<Count<'l>, CannotSay> {
        let mut counts = self.counts(who)?;
        let is_new = self.gpus.iter().all(|gpu| gpu.existing.is_empty());
        match counts.pop() {
            Some(own) if counts.is_empty() && is_new => Ok(own),
            _ => Err(CannotSay(format!(
                "{who} cuts all its GPUs alike: it takes one profile, on GPUs with nothing else on them"
            ))),
        }
    }

    fn unknown(&self, who: &str, tool: &str, name: &str) -> CannotSay {
        let catalog = &self.chip.catalog;
        let gpu = catalog.str(self.chip.geometry.title);
        let known = catalog.said_by(self.chip.geometry, tool);
        let known: Vec<&str> = known
            .into_iter()
            .flat_map(|own| catalog.strings(own.profiles))
            .collect();
        CannotSay(if known.is_empty() {
            format!("{who} has no words for slices of {gpu}")
        } else {
            format!(
                "{who} has no word for {name} of {gpu}; it knows {}",
                known.join(", ")
            )
        })
    }
}

/// `1g-10gb-me`: a profile as a name.
fn request_name(profile: &str) -> String {
    let plain = super::names::parse_profile(profile);
    let no_media = plain.is_some_and(|name| name.attribute == Attribute::NoMedia);
    let name = profile.replace(['.', '+'], "-");
    match name.strip_suffix("-me").filter(|_| no_media) {
        Some(name) => format!("{name}-no-me"),
        None => name,
    }
}

fn containers(n: u32) -> String {
    match n {
        1 => "1 container with".to_owned(),
        n => format!("{n} containers, each with"),
    }
}

fn tasks(n: u32) -> String {
    match n {
        1 => "for 1 task".to_owned(),
        n => format!("for {n} tasks at a time, each with one slice"),
    }
}
