//! The part of RunPod's GraphQL schema that lists what is for sale.

/// The type of an argument or of a field of an input object.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Text,
    Int,
    Number,
    Flag,
    Texts,
    Input(&'static [Argument]),
}

#[derive(Clone, Copy)]
pub(super) struct Argument {
    pub name: &'static str,
    pub kind: Kind,
    pub required: bool,
}

#[derive(Clone, Copy)]
pub(super) struct Field {
    pub name: &'static str,
    pub arguments: &'static [Argument],
    /// The name and the fields of the object, or of the objects of the list, that it holds.
    pub object: Option<(&'static str, &'static [Field])>,
}

const fn leaf(name: &'static str) -> Field {
    Field {
        name,
        arguments: &[],
        object: None,
    }
}

const fn object(
    name: &'static str,
    arguments: &'static [Argument],
    kind: &'static str,
    fields: &'static [Field],
) -> Field {
    Field {
        name,
        arguments,
        object: Some((kind, fields)),
    }
}

const fn optional(name: &'static str, kind: Kind) -> Argument {
    Argument {
        name,
        kind,
        required: false,
    }
}

const fn required(name: &'static str, kind: Kind) -> Argument {
    Argument {
        name,
        kind,
        required: true,
    }
}

pub(super) const QUERY: &[Field] = &[
    object(
        "gpuTypes",
        &[optional("input", Kind::Input(GPU_TYPE_FILTER))],
        "GpuType",
        GPU_TYPE,
    ),
    object("dataCenters", &[], "DataCenter", DATA_CENTER),
    leaf("countryCodes"),
    object("cpuFlavors", &[], "CpuFlavor", CPU_FLAVOR),
    object("myself", &[], "User", USER),
];

/// Machines without a GPU: the market has none.
const CPU_FLAVOR: &[Field] = &[
    leaf("id"),
    leaf("displayName"),
    leaf("groupId"),
    leaf("minVcpu"),
    leaf("maxVcpu"),
    leaf("ramMultiplier"),
    leaf("diskLimitPerVcpu"),
    object(
        "specifics",
        &[required("input", Kind::Input(SPECIFICS_INPUT))],
        "CpuFlavorSpecifics",
        &[leaf("stockStatus"), leaf("securePrice")],
    ),
];

const SPECIFICS_INPUT: &[Argument] = &[optional("dataCenterId", Kind::Text)];

const USER: &[Field] = &[leaf("id"), leaf("email")];

const GPU_TYPE_FILTER: &[Argument] = &[optional("id", Kind::Text), optional("cluster", Kind::Flag)];

const GPU_TYPE: &[Field] = &[
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
        &[required("input", Kind::Input(LOWEST_PRICE_INPUT))],
        "LowestPrice",
        LOWEST_PRICE,
    ),
];

const LOWEST_PRICE_INPUT: &[Argument] = &[
    required("gpuCount", Kind::Int),
    optional("dataCenterId", Kind::Text),
    optional("countryCode", Kind::Text),
    optional("secureCloud", Kind::Flag),
    optional("supportPublicIp", Kind::Flag),
    optional("minDisk", Kind::Int),
    optional("minMemoryInGb", Kind::Int),
    optional("minVcpuCount", Kind::Int),
    optional("minDownload", Kind::Number),
    optional("minUpload", Kind::Number),
    optional("minCudaVersion", Kind::Text),
    optional("allowedCudaVersions", Kind::Texts),
    optional("globalNetwork", Kind::Flag),
    optional("compliance", Kind::Texts),
    optional("includeAiApi", Kind::Flag),
];

const LOWEST_PRICE: &[Field] = &[
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

const DATA_CENTER: &[Field] = &[
    leaf("id"),
    leaf("name"),
    leaf("location"),
    leaf("listed"),
    object("gpuAvailability", &[], "GpuAvailability", GPU_AVAILABILITY),
];

const GPU_AVAILABILITY: &[Field] = &[leaf("gpuTypeId"), leaf("displayName"), leaf("stockStatus")];
