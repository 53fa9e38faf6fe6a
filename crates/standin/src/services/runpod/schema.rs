//! The part of RunPod's GraphQL schema for GPU types and data centers.

/// The type of an argument or of a field of an input object.
#[derive(Clone, Copy)]
pub(super) enum FieldKind {
    Text,
    Int,
    Number,
    Flag,
    Texts,
    Input(&'static [SchemaArgument]),
}

#[derive(Clone, Copy)]
pub(super) struct SchemaArgument {
    pub name: &'static str,
    pub kind: FieldKind,
    pub required: bool,
}

#[derive(Clone, Copy)]
pub(super) struct SchemaField {
    pub name: &'static str,
    pub arguments: &'static [SchemaArgument],
    /// The name and the fields of the object, or of the objects in the list.
    pub object: Option<(&'static str, &'static [SchemaField])>,
}

const fn leaf(name: &'static str) -> SchemaField {
    SchemaField {
        name,
        arguments: &[],
        object: None,
    }
}

const fn object(
    name: &'static str,
    arguments: &'static [SchemaArgument],
    kind: &'static str,
    fields: &'static [SchemaField],
) -> SchemaField {
    SchemaField {
        name,
        arguments,
        object: Some((kind, fields)),
    }
}

const fn optional(name: &'static str, kind: FieldKind) -> SchemaArgument {
    SchemaArgument {
        name,
        kind,
        required: false,
    }
}

const fn required(name: &'static str, kind: FieldKind) -> SchemaArgument {
    SchemaArgument {
        name,
        kind,
        required: true,
    }
}

pub(super) const QUERY: &[SchemaField] = &[
    object(
        "gpuTypes",
        &[optional("input", FieldKind::Input(GPU_TYPE_FILTER))],
        "GpuType",
        GPU_TYPE,
    ),
    object("dataCenters", &[], "DataCenter", DATA_CENTER),
    leaf("countryCodes"),
    object("cpuFlavors", &[], "CpuFlavor", CPU_FLAVOR),
    object("myself", &[], "User", USER),
];

/// Machines without a GPU. The market has none.
const CPU_FLAVOR: &[SchemaField] = &[
    leaf("id"),
    leaf("displayName"),
    leaf("groupId"),
    leaf("minVcpu"),
    leaf("maxVcpu"),
    leaf("ramMultiplier"),
    leaf("diskLimitPerVcpu"),
    object(
        "specifics",
        &[required("input", FieldKind::Input(SPECIFICS_INPUT))],
        "CpuFlavorSpecifics",
        &[leaf("stockStatus"), leaf("securePrice")],
    ),
];

const SPECIFICS_INPUT: &[SchemaArgument] = &[optional("dataCenterId", FieldKind::Text)];

const USER: &[SchemaField] = &[leaf("id"), leaf("email")];

const GPU_TYPE_FILTER: &[SchemaArgument] = &[
    optional("id", FieldKind::Text),
    optional("cluster", FieldKind::Flag),
];

const GPU_TYPE: &[SchemaField] = &[
    leaf("id"),
    leaf("displayName"),
    leaf("manufacturer"),
    leaf("memoryInGb"),
    leaf("cudaCores"),
    leaf("secureCloud"),
    leaf("communityCloud"),
    leaf("securePrice"),
    leaf("communityPrice"),
    leaf("secureSpotPrice"),
    leaf("communitySpotPrice"),
    leaf("oneWeekPrice"),
    leaf("oneMonthPrice"),
    leaf("threeMonthPrice"),
    leaf("sixMonthPrice"),
    leaf("clusterPrice"),
    leaf("maxGpuCount"),
    leaf("maxGpuCountSecureCloud"),
    leaf("maxGpuCountCommunityCloud"),
    leaf("minPodGpuCount"),
    object("nodeGroupDatacenters", &[], "DataCenter", DATA_CENTER),
    object(
        "lowestPrice",
        &[required("input", FieldKind::Input(LOWEST_PRICE_INPUT))],
        "LowestPrice",
        LOWEST_PRICE,
    ),
];

const LOWEST_PRICE_INPUT: &[SchemaArgument] = &[
    required("gpuCount", FieldKind::Int),
    optional("dataCenterId", FieldKind::Text),
    optional("countryCode", FieldKind::Text),
    optional("secureCloud", FieldKind::Flag),
    optional("supportPublicIp", FieldKind::Flag),
    optional("minDisk", FieldKind::Int),
    optional("minMemoryInGb", FieldKind::Int),
    optional("minVcpuCount", FieldKind::Int),
    optional("minDownload", FieldKind::Number),
    optional("minUpload", FieldKind::Number),
    optional("minCudaVersion", FieldKind::Text),
    optional("allowedCudaVersions", FieldKind::Texts),
    optional("globalNetwork", FieldKind::Flag),
    optional("compliance", FieldKind::Texts),
    optional("includeAiApi", FieldKind::Flag),
];

const LOWEST_PRICE: &[SchemaField] = &[
    leaf("gpuName"),
    leaf("gpuTypeId"),
    leaf("uninterruptablePrice"),
    leaf("minimumBidPrice"),
    leaf("stockStatus"),
    leaf("minVcpu"),
    leaf("minMemory"),
    leaf("availableGpuCounts"),
    leaf("maxUnreservedGpuCount"),
    leaf("totalCount"),
    leaf("rentedCount"),
    leaf("rentalPercentage"),
    leaf("countryCode"),
    leaf("compliance"),
    leaf("supportPublicIp"),
    leaf("maxGpuCount"),
    leaf("minDownload"),
    leaf("minUpload"),
    leaf("minDisk"),
    object(
        "gpuTypeCudaVersions",
        &[],
        "GpuTypeCudaVersion",
        &[leaf("cudaVersion"), leaf("availability")],
    ),
];

const DATA_CENTER: &[SchemaField] = &[
    leaf("id"),
    leaf("name"),
    leaf("location"),
    leaf("listed"),
    object("gpuAvailability", &[], "GpuAvailability", GPU_AVAILABILITY),
];

const GPU_AVAILABILITY: &[SchemaField] =
    &[leaf("gpuTypeId"), leaf("displayName"), leaf("stockStatus")];
