"""The types of the answers. `cargo xtask generate` writes this file from `schemas/`, which explains every field."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict, Union

if TYPE_CHECKING:
    from typing_extensions import NotRequired, TypeAlias

# Pythons before 3.11 have no NotRequired: annotations are text, which only type checkers read.

# An accelerator of the catalog. Figures are per device, and peak rates are for dense arithmetic, without sparsity.
AcceleratorOut = TypedDict(
    "AcceleratorOut",
    {
        "id": "str",
        "family": "str",
        "vendor": "str",
        "line": "NotRequired[Union[str, None]]",
        "architecture": "Union[str, None]",
        "class": 'Literal["datacenter", "workstation", "consumer", "asic", "media"]',
        "form_factor": "str",
        "memory_gb": "Union[Num, None]",
        "memory_mib": "Union[Num, None]",
        "memory_type": "Union[str, None]",
        "memory_bandwidth_gb_s": "Union[Num, None]",
        "fp64_tflops": "Union[Num, None]",
        "fp32_tflops": "Union[Num, None]",
        "tf32_tflops": "Union[Num, None]",
        "fp16_tflops": "Union[Num, None]",
        "bf16_tflops": "Union[Num, None]",
        "fp8_tflops": "Union[Num, None]",
        "fp4_tflops": "Union[Num, None]",
        "int8_tops": "Union[Num, None]",
        "tdp_w": "Union[Num, None]",
        "compute_capability": "NotRequired[Union[str, None]]",
        "cuda_min": "NotRequired[Union[str, None]]",
        "cuda_last": "NotRequired[Union[str, None]]",
        "rocm_gfx": "NotRequired[Union[str, None]]",
        "interconnect": "NotRequired[Union[str, None]]",
        "interconnect_gb_s": "NotRequired[Union[Num, None]]",
        "mig": "Union[bool, None]",
        "release_year": "Union[Num, None]",
        "sdk": "Union[str, None]",
        "max_per_node": "NotRequired[Union[Num, None]]",
        "note": "NotRequired[Union[str, None]]",
        "providers": "list[str]",
        "aliases": "list[str]",
        "sources": "list[str]",
    },
)

# A quota of the account that a machine counts against.
AccountQuotaOut = TypedDict(
    "AccountQuotaOut",
    {
        "provider": "str",
        "region": "Union[str, None]",
        "capacity_type": 'Literal["on-demand", "spot"]',
        "instance_type": "str",
        "accelerator": "str",
        "count": "Num",
        "code": "str",
        "name": "Union[str, None]",
        "unit": 'Literal["vcpus", "accelerators", "machines"]',
        "unlimited": "bool",
        "limit": "Union[Num, None]",
        "used": "Union[Num, None]",
        "left": "Union[Num, None]",
        "needed": "Union[Num, None]",
        "machines_left": "Union[int, None]",
        "admits": "Union[bool, None]",
        "adjustable": "Union[bool, None]",
        "raise": "NotRequired[Union[RaiseOut, None]]",
    },
)


class AnswerOut(TypedDict):
    """One provider's answer to a live query."""

    provider: str
    source: Literal["live", "cache", "catalog", "failed"]
    access: NotRequired[Union[Literal["key", "public"], None]]
    as_of: NotRequired[Union[str, None]]
    age_s: NotRequired[Union[int, None]]
    types_as_of: NotRequired[Union[str, None]]
    complete: bool
    errors: NotRequired[list[NoteOut]]


class ApiComparisonOut(TypedDict):
    """The cost of the load of a request by API, on the first recommended machine, and on the user's machine."""

    cheapest: NotRequired[Union[Literal["api", "machine", "own"], None]]
    message: str
    unit: Literal["tokens", "image", "audio-hour", "characters", "video-second"]
    input_tokens: NotRequired[Union[Num, None]]
    output_tokens: NotRequired[Union[Num, None]]
    cached_share: NotRequired[Union[Num, None]]
    requests_per_hour: NotRequired[Union[Num, None]]
    units_per_hour: NotRequired[Union[Num, None]]
    machine: NotRequired[Union[ComparedMachineOut, None]]
    own: NotRequired[Union[OwnMachineOut, None]]
    offers: NotRequired[list[ApiOfferOut]]
    median_usd_per_unit: NotRequired[Union[Num, None]]
    other_precision: NotRequired[int]
    short_context: NotRequired[int]
    batches: NotRequired[int]


class ApiOfferOut(TypedDict):
    """A model at a seller of tokens."""

    seller: str
    seller_name: str
    model_id: str
    variant: NotRequired[Union[str, None]]
    precision: NotRequired[Union[str, None]]
    input_usd: NotRequired[Union[Num, None]]
    cached_usd: NotRequired[Union[Num, None]]
    output_usd: NotRequired[Union[Num, None]]
    usd_per_unit: Num
    usd_per_hour: NotRequired[Union[Num, None]]
    break_even_units_per_hour: NotRequired[Union[Num, None]]
    context: NotRequired[Union[int, None]]
    since: NotRequired[Union[str, None]]
    as_of: str
    retires: NotRequired[Union[str, None]]
    source: str
    page: NotRequired[Union[str, None]]


class ApiPricesOut(TypedDict):
    """The prices of a model at sellers of tokens, images or audio."""

    unit: Literal["tokens", "image", "audio-hour", "characters", "video-second"]
    prices: int
    lowest_input_usd: NotRequired[Union[Num, None]]
    median_input_usd: NotRequired[Union[Num, None]]
    lowest_output_usd: NotRequired[Union[Num, None]]
    median_output_usd: NotRequired[Union[Num, None]]


class BillAnswer(TypedDict):
    """The JSON document of an answer: the request, the results, and where they come from."""

    schema: Literal["sky-accel.bill.v1"]
    catalog: CatalogInfo
    live: NotRequired[list[AnswerOut]]
    request: BillEcho
    results: list[BilledOut]
    left_off: NotRequired[Union[int, None]]
    funnel: NotRequired[list[FunnelOut]]
    nearest: NotRequired[list[NearestOut]]
    explain: NotRequired[Union[list[ExplainOut], None]]
    notes: list[NoteOut]


class BillEcho(TypedDict):
    """The request as it was understood."""

    specs: list[str]
    providers: list[str]
    regions: list[str]
    capacity_type: NotRequired[Literal["unspecified", "on-demand", "spot", "any"]]
    price_tier: NotRequired[Union[str, None]]
    max_price: NotRequired[Union[Num, None]]
    limit: NotRequired[Union[int, None]]
    max_age_s: NotRequired[Union[int, None]]
    price: NotRequired[Literal["likely", "stated"]]
    min_vcpu: NotRequired[Union[Num, None]]
    min_host_memory_gib: NotRequired[Union[Num, None]]
    interconnect: NotRequired[Union[Literal["efa", "infiniband", "nvlink", "any"], None]]
    available: NotRequired[bool]
    hours: NotRequired[Union[Num, None]]
    currency: NotRequired[Union[str, None]]
    commit: NotRequired[Union[str, None]]
    upfront: NotRequired[Union[Literal["none", "partial", "all"], None]]
    use: BillUse
    checkpoint_bytes: NotRequired[Union[int, None]]
    nodes: NotRequired[Union[int, None]]


class BillLineOut(TypedDict):
    """A line of a bill."""

    item: Literal["machine", "start", "download", "idle", "rounding", "minimum-rental", "host", "set-up", "disk", "stopped-disk", "egress", "ingress", "ipv4", "processors", "prepaid", "upfront"]
    quantity: Union[Num, None]
    unit: Literal["hour", "GB-month", "GB", "address-hour", "payment"]
    known: bool
    usd: Union[Num, None]
    left_out: NotRequired[Union[Literal["not-known", "by-host", "allowance", "no-rate", "amount-not-known", "credit"], None]]
    at_most_usd: NotRequired[Union[Num, None]]
    basis: str
    note: NotRequired[Union[str, None]]
    source: NotRequired[Union[str, None]]
    as_of: NotRequired[Union[str, None]]
    sure: NotRequired[Union[Literal["high", "medium", "low"], None]]


class BillOut(TypedDict):
    """A bill. All amounts are US dollars."""

    usd_total: Num
    usd_total_likely: Num
    lines_not_known: int
    between_sessions: NotRequired[Union[Literal["stopped", "deleted"], None]]
    lines: list[BillLineOut]
    traps: NotRequired[list[BillTrapOut]]


class BillTrapOut(TypedDict):
    """A trap of a provider's bill."""

    text: str
    adds_usd: NotRequired[Union[Num, None]]
    source: str
    as_of: str
    sure: Literal["high", "medium", "low"]


class BillUse(TypedDict):
    """The use of a machine. Without hours and sessions, the machine works for a month of 730 hours."""

    hours: NotRequired[Union[Num, None]]
    month: bool
    sessions: NotRequired[Union[int, None]]
    hours_per_session: NotRequired[Union[Num, None]]
    idle_hours: NotRequired[Union[Num, None]]
    start_hours: NotRequired[Union[Num, None]]
    storage_gb: NotRequired[Union[Num, None]]
    egress_gb: NotRequired[Union[Num, None]]
    ingress_gb: NotRequired[Union[Num, None]]
    bandwidth: NotRequired[Union[Num, None]]
    ipv4: NotRequired[Union[int, None]]


class BilledOut(TypedDict):
    """A machine with the bill for its use."""

    spec: str
    provider: str
    instance_type: str
    url: NotRequired[Union[str, None]]
    accelerator: str
    count: Num
    nodes: NotRequired[Union[int, None]]
    region: NotRequired[Union[str, None]]
    capacity_type: Literal["on-demand", "spot"]
    usd_per_hour: Num
    likely_usd_per_hour: Num
    low: Num
    high: Num
    sources: int
    tier: NotRequired[Union[str, None]]
    price_kind: Literal["list", "live", "snapshot", "estimate", "contract", "committed"]
    price_quality: Literal["provider", "aggregator", "documentation", "pattern"]
    as_of: str
    age_days: Union[int, None]
    price_rank: int
    commitment: NotRequired[Union[CommitmentOut, None]]
    sells: Literal["machine", "attached", "container", "slice", "share", "endpoint"]
    status: Literal["offered", "spot-only", "reserved-only", "preview", "unlisted", "stale", "retired"]
    reasons: NotRequired[list[Literal["max-count-unknown", "region-unverified", "may-be-another", "mig-unverified", "larger", "old-price", "not-reached", "unconfirmed-price", "implausible-price", "small-host", "private-host"]]]
    ranking_cost: NotRequired[Union[Num, None]]
    usd_total: Num
    usd_total_likely: Num
    lines_not_known: int
    between_sessions: NotRequired[Union[Literal["stopped", "deleted"], None]]
    lines: list[BillLineOut]
    traps: NotRequired[list[BillTrapOut]]


class CacheOut(TypedDict):
    """The KV cache."""

    bytes_per_token: Num
    fixed_bytes: NotRequired[Union[Num, None]]
    max_tokens: Union[Num, None]
    max_sequences: Union[Num, None]


class CandidateOut(TypedDict):
    """A way to rent the machines."""

    rank: int
    spec: str
    provider: str
    instance_type: str
    broker: NotRequired[Union[str, None]]
    upstream: NotRequired[Union[str, None]]
    url: NotRequired[Union[str, None]]
    accelerator: str
    count: Num
    memory_gb: Union[Num, None]
    memory_mib: Union[Num, None]
    total_memory_gb: Union[Num, None]
    vcpu: Union[Num, None]
    host_memory_gib: Union[Num, None]
    host_arch: Union[str, None]
    capacity_type: Literal["on-demand", "spot", "reservation", "capacity-block"]
    region: Union[str, None]
    fit: Literal["exact", "oversized"]
    nodes: int
    price: Union[PriceOut, None]
    commitments: NotRequired[list[CommitmentOut]]
    usd_per_hour: Union[Num, None]
    usd_total: NotRequired[Union[Num, None]]
    bill: NotRequired[Union[BillOut, None]]
    mig: NotRequired[Union[MigOut, None]]
    obtainability: NotRequired[list[ObtainabilityOut]]
    checks: list[CheckOut]
    warnings: list[Literal["price-unknown", "price-estimate", "price-snapshot", "paid-already", "separate-machines", "max-count-unknown", "region-unverified", "may-be-another", "mig-unverified", "unconfirmed-price", "implausible-price", "small-host", "private-host", "managed-service", "share", "without-host", "not-reached"]]


class CapacityBlockOut(TypedDict):
    """A block of capacity that can be reserved in advance."""

    region: str
    zone: Union[str, None]
    starts_at: Union[str, None]
    hours: int
    machines: int
    upfront_usd: Num
    usd_per_hour: Num


class CatalogDiffAnswer(TypedDict):
    """The JSON document of an answer: the request, the results, and where they come from."""

    schema: Literal["sky-accel.catalog-diff.v1"]
    catalog: CatalogInfo
    live: NotRequired[list[AnswerOut]]
    request: CatalogDiffRequest
    results: list[DifferenceOut]
    left_off: NotRequired[Union[int, None]]
    funnel: NotRequired[list[FunnelOut]]
    nearest: NotRequired[list[NearestOut]]
    explain: NotRequired[Union[list[ExplainOut], None]]
    notes: list[NoteOut]


class CatalogDiffRequest(TypedDict):
    """The two catalogs to compare."""

    before: list[str]
    after: list[str]


class CatalogInfo(TypedDict):
    """The catalog that the answer is based on."""

    version: str
    as_of: str
    overlays: NotRequired[list[str]]
    overridden: NotRequired[list[str]]


class CatalogPathAnswer(TypedDict):
    """The JSON document of an answer: the request, the results, and where they come from."""

    schema: Literal["sky-accel.catalog-path.v1"]
    catalog: CatalogInfo
    live: NotRequired[list[AnswerOut]]
    request: CatalogRequest
    results: list[PathOut]
    left_off: NotRequired[Union[int, None]]
    funnel: NotRequired[list[FunnelOut]]
    nearest: NotRequired[list[NearestOut]]
    explain: NotRequired[Union[list[ExplainOut], None]]
    notes: list[NoteOut]


class CatalogRequest(TypedDict):
    """The catalog to check or compile."""

    overlays: list[str]


class CatalogUpdateAnswer(TypedDict):
    """The JSON document of an answer: the request, the results, and where they come from."""

    schema: Literal["sky-accel.catalog-update.v1"]
    catalog: CatalogInfo
    live: NotRequired[list[AnswerOut]]
    request: UpdateRequest
    results: list[UpdateOut]
    left_off: NotRequired[Union[int, None]]
    funnel: NotRequired[list[FunnelOut]]
    nearest: NotRequired[list[NearestOut]]
    explain: NotRequired[Union[list[ExplainOut], None]]
    notes: list[NoteOut]


class CatalogVerifyAnswer(TypedDict):
    """The JSON document of an answer: the request, the results, and where they come from."""

    schema: Literal["sky-accel.catalog-verify.v1"]
    catalog: CatalogInfo
    live: NotRequired[list[AnswerOut]]
    request: CatalogRequest
    results: list[VerifyOut]
    left_off: NotRequired[Union[int, None]]
    funnel: NotRequired[list[FunnelOut]]
    nearest: NotRequired[list[NearestOut]]
    explain: NotRequired[Union[list[ExplainOut], None]]
    notes: list[NoteOut]


class ChangeOut(TypedDict):
    """One difference between two plans."""

    change: Literal["catalog", "request", "added", "removed", "price", "rank", "fit", "check"]
    what: str
    before: Any
    after: Any
    percent: NotRequired[Union[Num, None]]
    message: str


class ChargeOut(TypedDict):
    """A charge of a provider, or a rule of its bill."""

    item: Literal["disk", "stopped-disk", "included-disk", "local-disk", "network-volume", "fast-disk", "hard-disk", "snapshot", "object-storage", "egress", "region-egress", "ingress", "nat", "ipv4", "stopped-ipv4", "port", "processors", "host-memory", "stopped-machine", "start", "set-up", "prepaid", "minimum-rental", "spot", "reservation"]
    region: NotRequired[Union[str, None]]
    rule: Literal["priced", "free", "billed", "conditional", "no-stop", "by-host", "allowance"]
    price: NotRequired[Union[PreciseNum, None]]
    per: NotRequired[Union[Literal["GB-month", "GiB-month", "GB", "GiB", "hour", "vCPU-hour", "core-hour", "GB-hour", "GiB-hour", "payment"], None]]
    currency: NotRequired[Union[str, None]]
    free: NotRequired[Union[int, None]]
    tiers: NotRequired[list[ChargeTierOut]]
    least_s: NotRequired[Union[int, None]]
    most_s: NotRequired[Union[int, None]]
    note: NotRequired[Union[str, None]]
    sure: Literal["high", "medium", "low"]
    source: str
    as_of: str


class ChargeTierOut(TypedDict):
    """The price of the part of an amount that is above a bound."""

    above: int
    price: PreciseNum


class CheaperPrecisionOut(TypedDict):
    """A format of weights that is cheaper than the format of the answer."""

    precision: str
    checkpoint: NotRequired[Union[str, None]]
    saving_percent: Num
    spec: str
    nodes: NotRequired[Union[int, None]]
    provider: str
    instance_type: str
    usd_per_hour: Num
    low: Num
    high: Num
    quality_losses: list[QualityLossOut]
    message: str


class CheapestOut(TypedDict):
    """The offer to try first: the lowest likely price among confirmed prices or, without one, among all."""

    provider: str
    instance_type: str
    region: NotRequired[Union[str, None]]
    usd_per_accelerator_hour: Num
    likely_usd_per_accelerator_hour: Num
    low_usd_per_accelerator_hour: Num
    high_usd_per_accelerator_hour: Num
    url: NotRequired[Union[str, None]]
    kind: Literal["list", "live", "snapshot", "estimate", "contract", "committed"]
    as_of: str
    sources: int
    quality: Literal["provider", "aggregator", "documentation", "pattern"]
    age_days: NotRequired[Union[int, None]]
    source: str
    reasons: NotRequired[list[Literal["max-count-unknown", "region-unverified", "may-be-another", "mig-unverified", "larger", "old-price", "not-reached", "unconfirmed-price", "implausible-price", "small-host", "private-host"]]]
    comparison: NotRequired[Union[ComparisonOut, None]]


class CheckOut(TypedDict):
    """A condition to verify before a candidate is tried."""

    id: Literal["quota", "cuda", "stock"]
    state: Literal["pass", "fail", "unknown"]
    needs: NotRequired[Union[NeedsOut, None]]


class CheckpointOut(TypedDict):
    """A checkpoint of a model."""

    id: str
    stored_as: str
    min_vllm: NotRequired[Union[str, None]]


class CommitmentOut(TypedDict):
    """A price of an offer for a promise to pay for a term."""

    kind: str
    program: str
    name: str
    term: str
    upfront: Union[Literal["none", "partial", "all"], None]
    billing: Literal["whole-term", "used"]
    region: NotRequired[Union[str, None]]
    price_tier: NotRequired[Union[str, None]]
    usd_per_hour: Union[Num, None]
    usd_per_accelerator_hour: Union[Num, None]
    usd_per_accelerator_alone_hour: NotRequired[Union[Num, None]]
    on_demand_usd_per_hour: Union[Num, None]
    discount: Union[Num, None]
    break_even_utilization: Union[Num, None]
    upfront_usd: Union[Num, None]
    term_usd: Union[Num, None]
    up_to_discount: NotRequired[Union[Num, None]]
    is_lowest: bool
    ranks: bool
    at_end: NotRequired[Union[str, None]]
    ends_machines: bool
    notes: NotRequired[list[str]]
    quality: Literal["provider", "aggregator", "documentation", "pattern"]
    as_of: str
    source: str


class CompareAnswer(TypedDict):
    """The JSON document of an answer: the request, the results, and where they come from."""

    schema: Literal["sky-accel.compare.v1"]
    catalog: CatalogInfo
    live: NotRequired[list[AnswerOut]]
    request: CompareEcho
    results: list[CompareOut]
    left_off: NotRequired[Union[int, None]]
    funnel: NotRequired[list[FunnelOut]]
    nearest: NotRequired[list[NearestOut]]
    explain: NotRequired[Union[list[ExplainOut], None]]
    notes: list[NoteOut]


class CompareEcho(TypedDict):
    """The request of a comparison as it was understood."""

    names: list[str]
    commit: NotRequired[Union[str, None]]
    work: NotRequired[Union[RecommendEcho, None]]


# An accelerator, with its figures relative to the first accelerator.
CompareOut = TypedDict(
    "CompareOut",
    {
        "id": "str",
        "family": "str",
        "vendor": "str",
        "line": "NotRequired[Union[str, None]]",
        "architecture": "Union[str, None]",
        "class": 'Literal["datacenter", "workstation", "consumer", "asic", "media"]',
        "form_factor": "str",
        "memory_gb": "Union[Num, None]",
        "memory_mib": "Union[Num, None]",
        "memory_type": "Union[str, None]",
        "memory_bandwidth_gb_s": "Union[Num, None]",
        "fp64_tflops": "Union[Num, None]",
        "fp32_tflops": "Union[Num, None]",
        "tf32_tflops": "Union[Num, None]",
        "fp16_tflops": "Union[Num, None]",
        "bf16_tflops": "Union[Num, None]",
        "fp8_tflops": "Union[Num, None]",
        "fp4_tflops": "Union[Num, None]",
        "int8_tops": "Union[Num, None]",
        "tdp_w": "Union[Num, None]",
        "compute_capability": "NotRequired[Union[str, None]]",
        "cuda_min": "NotRequired[Union[str, None]]",
        "cuda_last": "NotRequired[Union[str, None]]",
        "rocm_gfx": "NotRequired[Union[str, None]]",
        "interconnect": "NotRequired[Union[str, None]]",
        "interconnect_gb_s": "NotRequired[Union[Num, None]]",
        "mig": "Union[bool, None]",
        "release_year": "Union[Num, None]",
        "sdk": "Union[str, None]",
        "max_per_node": "NotRequired[Union[Num, None]]",
        "note": "NotRequired[Union[str, None]]",
        "providers": "list[str]",
        "aliases": "list[str]",
        "sources": "list[str]",
        "ratios": "dict[str, Num]",
        "price": "NotRequired[Union[DevicePriceOut, None]]",
        "machine": "NotRequired[Union[RecommendOut, None]]",
        "why_not": "NotRequired[Union[str, None]]",
        "fit": "NotRequired[Union[FitOut, None]]",
    },
)


class ComparedMachineOut(TypedDict):
    """A machine in a comparison with APIs."""

    spec: str
    provider: str
    instance_type: str
    usd_per_hour: Num
    usd_per_unit: NotRequired[Union[Num, None]]


class ComparisonOut(TypedDict):
    """A price compared with the recent prices of all providers that sell the same capacity type."""

    percent: int
    median_usd_per_accelerator_hour: Num
    sources: int
    text: str


class ConvertAnswer(TypedDict):
    """The JSON document of an answer: the request, the results, and where they come from."""

    schema: Literal["sky-accel.convert.v1"]
    catalog: CatalogInfo
    live: NotRequired[list[AnswerOut]]
    request: ConvertRequest
    results: list[ConvertOut]
    left_off: NotRequired[Union[int, None]]
    funnel: NotRequired[list[FunnelOut]]
    nearest: NotRequired[list[NearestOut]]
    explain: NotRequired[Union[list[ExplainOut], None]]
    notes: list[NoteOut]


class ConvertOut(TypedDict):
    """A spec in the notation of another tool."""

    spec: str
    dialect: str
    text: str
    lossy: list[LossOut]


class ConvertRequest(TypedDict):
    """A spec, and the notation to convert it to."""

    spec: str
    to: str


class CostOut(TypedDict):
    """The on-demand cost of the GPUs."""

    provider: str
    instance_type: str
    machines: int
    gpus: int
    usd_per_hour: Num
    likely_usd_per_hour: Num
    low: Num
    high: Num
    stated_usd_per_hour: Num
    age_days: Union[int, None]
    url: NotRequired[Union[str, None]]
    usd_per_slice_hour: Num
    whole_gpus_usd_per_hour: Num
    saving_percent: Num
    region: Union[str, None]
    kind: Literal["list", "live", "snapshot", "estimate", "contract", "committed"]
    quality: Literal["provider", "aggregator", "documentation", "pattern"]
    sources: int
    as_of: str
    source: str
    doubts: NotRequired[list[Literal["max-count-unknown", "region-unverified", "may-be-another", "mig-unverified", "larger", "old-price", "not-reached", "unconfirmed-price", "implausible-price", "small-host", "private-host"]]]


class CredentialCheckOut(TypedDict):
    """The result of a query with the credentials."""

    outcome: Literal["accepted", "refused", "without-key", "unreachable", "failed"]
    errors: list[str]


class CredentialSourceOut(TypedDict):
    """A source of credentials."""

    kind: Literal["variable", "file"]
    name: str


class CredentialsOut(TypedDict):
    """The credentials of a provider."""

    provider: str
    state: Literal["ready", "missing", "faulty", "not-needed"]
    sources: list[CredentialSourceOut]
    faults: list[str]
    warnings: list[str]
    overrides: list[str]
    variables: list[str]
    files: list[str]
    rights: Union[str, None]
    hint: Union[str, None]
    without_key: Union[str, None]
    terms: Union[str, None]
    only_with_key: Union[str, None]
    check: NotRequired[Union[CredentialCheckOut, None]]


class CurrencyOut(TypedDict):
    """The currency that a provider charges, if it is not the US dollar."""

    code: str
    per_hour: Num
    usd_rate: Num
    rate_as_of: str


class DetectAnswer(TypedDict):
    """The JSON document of an answer: the request, the results, and where they come from."""

    schema: Literal["sky-accel.detect.v1"]
    catalog: CatalogInfo
    live: NotRequired[list[AnswerOut]]
    request: DetectRequest
    results: list[HardwareOut]
    left_off: NotRequired[Union[int, None]]
    funnel: NotRequired[list[FunnelOut]]
    nearest: NotRequired[list[NearestOut]]
    explain: NotRequired[Union[list[ExplainOut], None]]
    notes: list[NoteOut]


# A request to list the accelerators of a machine, as it was understood.
DetectRequest = TypedDict(
    "DetectRequest",
    {
        "check": "NotRequired[Union[str, None]]",
        "from": "NotRequired[Union[str, None]]",
    },
)


class DeviceOut(TypedDict):
    """One device."""

    index: int
    bus_id: Union[str, None]
    memory_mib: Union[Num, None]
    memory_free_mib: Union[Num, None]
    links: NotRequired[Union[int, None]]
    mig: NotRequired[Union[bool, None]]
    slices: NotRequired[list[SliceOut]]
    partition: NotRequired[Union[str, None]]


class DevicePriceOut(TypedDict):
    """The lowest likely price of one device."""

    usd_per_hour: Num
    likely_usd_per_hour: Num
    stated_usd_per_hour: NotRequired[Union[Num, None]]
    low: Num
    high: Num
    sources: int
    quality: Literal["provider", "aggregator", "documentation", "pattern"]
    as_of: str
    provider: str
    url: NotRequired[Union[str, None]]
    count: Num
    doubts: NotRequired[list[Literal["max-count-unknown", "region-unverified", "may-be-another", "mig-unverified", "larger", "old-price", "not-reached", "unconfirmed-price", "implausible-price", "small-host", "private-host"]]]
    kind: Literal["list", "live", "snapshot", "estimate", "contract", "committed"]
    tier: NotRequired[Union[str, None]]
    commitments: NotRequired[list[CommitmentOut]]
    age_days: NotRequired[Union[int, None]]
    usd_per_petaflops: NotRequired[Union[Num, None]]


class DifferenceOut(TypedDict):
    """One difference between two catalogs."""

    change: Literal["accelerator-added", "accelerator-removed", "figure-changed", "fact-added", "fact-removed", "fact-changed", "provider-added", "provider-removed", "type-added", "type-removed", "type-changed", "region-added", "region-gone", "price-added", "price-moved", "price-gone"]
    provider: NotRequired[str]
    what: str
    accelerator: NotRequired[str]
    field: NotRequired[str]
    region: NotRequired[Union[str, None]]
    before: Union[str, None]
    after: Union[str, None]
    percent: NotRequired[Union[Num, None]]
    message: str


class DisputedOut(TypedDict):
    """A figure on which documents disagree."""

    field: str
    also: str
    why: str
    source: str
    as_of: str


class DoctorEcho(TypedDict):
    """The request of `live doctor` as it was understood."""

    providers: list[str]
    check: bool


class EnergyOut(TypedDict):
    """The energy of devices, without hosts and cooling."""

    watts_per_device: Num
    wh_per_million_tokens: NotRequired[Union[Num, None]]
    wh_per_item: NotRequired[Union[Num, None]]
    grams_co2_per_million_tokens: NotRequired[Union[Num, None]]
    grams_co2_per_item: NotRequired[Union[Num, None]]
    low: PowerBandOut
    high: PowerBandOut


class EnginesOut(TypedDict):
    """The fixed-function engines of a MIG instance. A number is `null` if not published."""

    copy: Union[int, None]
    decode: Union[int, None]
    encode: Union[int, None]
    jpeg: Union[int, None]
    optical_flow: Union[int, None]


class ExplainOut(TypedDict):
    """The verdict on one offer that was considered."""

    spec: str
    provider: str
    instance_type: str
    accelerator: str
    count: Union[Num, None]
    kept: bool
    code: str
    message: str


class FileOut(TypedDict):
    """A file for a plan target."""

    name: str
    text: str


class FitAnswer(TypedDict):
    """The JSON document of an answer: the request, the results, and where they come from."""

    schema: Literal["sky-accel.fit.v1"]
    catalog: CatalogInfo
    live: NotRequired[list[AnswerOut]]
    request: FitEcho
    results: list[FitOut]
    left_off: NotRequired[Union[int, None]]
    funnel: NotRequired[list[FunnelOut]]
    nearest: NotRequired[list[NearestOut]]
    explain: NotRequired[Union[list[ExplainOut], None]]
    notes: list[NoteOut]


class FitEcho(TypedDict):
    """The request of `fit` as it was understood."""

    spec: NotRequired[Union[str, None]]
    nodes: NotRequired[Union[int, None]]
    model: NotRequired[Any]
    model_size: NotRequired[Union[str, None]]
    workload: Literal["inference", "lora", "qlora", "full", "pretrain", "dpo", "grpo", "ppo", "distill"]
    precision: str
    group_size: NotRequired[Union[Num, None]]
    kv_precision: NotRequired[Union[Literal["bf16", "fp8", "int8", "q8_0", "q4_0"], None]]
    context: Num
    generate: NotRequired[Union[Num, None]]
    max_context: NotRequired[Union[Num, None]]
    batch: NotRequired[Union[Num, None]]
    images: NotRequired[Union[Num, None]]
    audio_hours: NotRequired[Union[Num, None]]
    steps: NotRequired[Union[Num, None]]
    height: NotRequired[Union[Num, None]]
    width: NotRequired[Union[Num, None]]
    frames: NotRequired[Union[Num, None]]
    concurrency: NotRequired[Union[Num, None]]
    request_rate: NotRequired[Union[Num, None]]
    requests: NotRequired[Union[Num, None]]
    max_ttft: NotRequired[Union[Num, None]]
    max_tpot: NotRequired[Union[Num, None]]
    prefix_cache: NotRequired[Union[Num, None]]
    images_per_request: NotRequired[Union[Num, None]]
    image_tokens: NotRequired[Union[Num, None]]
    speculative: NotRequired[Union[str, None]]
    length_spread: NotRequired[Union[Num, None]]
    admission_interval: NotRequired[Union[Num, None]]
    disaggregated: NotRequired[Union[bool, None]]
    engine_version: NotRequired[Union[str, None]]
    calibrate: NotRequired[Union[str, None]]
    engine: Literal["none", "transformers", "vllm", "sglang", "llama.cpp", "tensorrt-llm", "deepspeed", "torchtitan", "torchtune", "litgpt", "ms-swift", "unsloth", "axolotl"]
    gpu_memory_utilization: NotRequired[Union[Num, None]]
    max_batched_tokens: NotRequired[Union[Num, None]]
    max_num_seqs: NotRequired[Union[Num, None]]
    sampling: NotRequired[Union[Literal["greedy", "top-p", "penalties"], None]]
    attention: Literal["flash", "sdpa", "eager"]
    logits: Literal["last", "all", "chunked", "none"]
    gpu_layers: NotRequired[Union[int, None]]
    n_cpu_moe: NotRequired[Union[int, None]]
    host_bandwidth: NotRequired[Union[Num, None]]
    compile: NotRequired[Union[bool, None]]
    optimizer: NotRequired[Union[Literal["adamw", "adamw-8bit", "adafactor", "muon", "sgd"], None]]
    optimizer_in_backward: NotRequired[Union[bool, None]]
    master_weights: NotRequired[Union[Literal["fp32", "none"], None]]
    parameter_precision: NotRequired[Union[Literal["bf16", "fp32"], None]]
    gradient_precision: NotRequired[Union[Literal["bf16", "fp32"], None]]
    checkpointing: NotRequired[Union[Literal["none", "selective", "full"], None]]
    lora_rank: NotRequired[Union[Num, None]]
    lora_targets: NotRequired[Union[Literal["qv", "attention", "all-linear"], None]]
    offload: NotRequired[Union[Literal["none", "optimizer", "all"], None]]
    gradient_accumulation: NotRequired[Union[Num, None]]
    global_batch: NotRequired[Union[Num, None]]
    virtual_pipeline: NotRequired[Union[Num, None]]
    packed: NotRequired[Union[Num, None]]
    modules_to_save: NotRequired[Union[list[str], None]]
    rollouts: NotRequired[Union[Num, None]]
    off_policy_steps: NotRequired[Union[Num, None]]
    reference_model: NotRequired[Union[str, None]]
    teacher_model: NotRequired[Union[str, None]]
    tensor_parallel: NotRequired[Union[int, None]]
    pipeline_parallel: NotRequired[Union[int, None]]
    data_parallel: NotRequired[Union[int, None]]
    context_parallel: NotRequired[Union[int, None]]
    expert_parallel: NotRequired[Union[int, None]]
    zero_stage: NotRequired[Union[int, None]]
    shard_groups: NotRequired[Union[int, None]]
    price: NotRequired[Union[Literal["likely", "stated"], None]]
    max_age_s: NotRequired[Union[int, None]]


class FitOut(TypedDict):
    """The memory and the speed of a model on some devices. `docs/sizing.md` has the formulas, and `docs/accuracy.md` compares them with published measurements."""

    spec: NotRequired[Union[str, None]]
    accelerator: str
    count: int
    nodes: NotRequired[Union[int, None]]
    fits: Union[bool, None]
    verdict: Union[Literal["fits", "tight", "does-not-fit"], None]
    refused: NotRequired[Union[str, None]]
    engine: NotRequired[Union[Literal["none", "transformers", "vllm", "sglang", "llama.cpp", "tensorrt-llm", "deepspeed", "torchtitan", "torchtune", "litgpt", "ms-swift", "unsloth", "axolotl"], None]]
    precision: NotRequired[Union[str, None]]
    parallelism: ParallelismOut
    per_device_gib: MemoryOut
    host_gib: NotRequired[Union[Num, None]]
    model: ModelOut
    kv_cache: NotRequired[Union[CacheOut, None]]
    largest: LargestOut
    throughput: SpeedOut
    seconds_per_item: NotRequired[Union[Num, None]]
    price: NotRequired[Union[FitPriceOut, None]]
    energy: NotRequired[Union[EnergyOut, None]]
    step: NotRequired[Union[OptimizerStepOut, None]]
    formats: NotRequired[list[FormatFitOut]]
    launch: NotRequired[Union[LaunchOut, None]]
    would_fit: NotRequired[list[RemedyOut]]


class FitPriceOut(TypedDict):
    """The price of the first offer of some hardware: the offer that `resolve` lists first."""

    usd_per_hour: Num
    likely_usd_per_hour: Num
    low: Num
    high: Num
    sources: int
    quality: Literal["provider", "aggregator", "documentation", "pattern"]
    as_of: str
    provider: str
    instance_type: str
    count: Num
    of_whole_devices: NotRequired[bool]
    sells: Literal["machine", "attached", "container", "slice", "share", "endpoint"]
    region: NotRequired[Union[str, None]]
    kind: Literal["list", "live", "snapshot", "estimate", "contract", "committed"]
    tier: NotRequired[Union[str, None]]
    age_days: NotRequired[Union[int, None]]
    doubts: NotRequired[list[Literal["max-count-unknown", "region-unverified", "may-be-another", "mig-unverified", "larger", "old-price", "not-reached", "unconfirmed-price", "implausible-price", "small-host", "private-host"]]]
    url: NotRequired[Union[str, None]]


class FormatFitOut(TypedDict):
    """A model in a format of weights and of the KV cache, with all other settings unchanged."""

    precision: str
    kv_precision: Literal["bf16", "fp8", "int8", "q8_0", "q4_0"]
    checkpoint: NotRequired[Union[str, None]]
    fits: Union[bool, None]
    high_gib: Num
    tokens_per_s: NotRequired[Union[Num, None]]


class FreeOut(TypedDict):
    """The positions where one more instance of a profile fits."""

    gpu_index: int
    profile: str
    starts: list[int]


class FunnelOut(TypedDict):
    """One step of the funnel: a condition, and the number of offers that remain after it."""

    spec: str
    stage: Literal["accelerator", "variant", "provider", "mig", "count", "host", "interconnect", "region", "capacity-type", "price", "stock"]
    label: str
    remaining: int


class GroupOut(TypedDict):
    """The offers that a row represents, with `group_by`."""

    by: Literal["accelerator", "provider", "region", "count"]
    key: Union[str, None]
    offers: int
    usd_per_hour_min: Union[Num, None]
    usd_per_hour_max: Union[Num, None]


class GuideAnswer(TypedDict):
    """The JSON document of an answer: the request, the results, and where they come from."""

    schema: Literal["sky-accel.guide.v1"]
    catalog: CatalogInfo
    live: NotRequired[list[AnswerOut]]
    request: GuideRequest
    results: list[GuideOut]
    left_off: NotRequired[Union[int, None]]
    funnel: NotRequired[list[FunnelOut]]
    nearest: NotRequired[list[NearestOut]]
    explain: NotRequired[Union[list[ExplainOut], None]]
    notes: list[NoteOut]


GuideOut: TypeAlias = "Union[GuideOut1, GuideOut2, GuideOut3]"


class GuideOut1(TypedDict):
    """Accelerators for a kind of work."""

    table: Literal["workload"]
    workload: str
    title: str
    pick: list[str]
    because: str
    source: str
    as_of: str


class GuideOut2(TypedDict):
    """Memory for a number of parameters."""

    table: Literal["size"]
    title: str
    minimum: str
    recommended: str
    source: str
    as_of: str


class GuideOut3(TypedDict):
    """A way to save money."""

    table: Literal["strategy"]
    strategy: str
    title: str
    claimed_percent: list[Num]
    good_for: str
    computed: Union[SavingOut, None]
    source: str
    as_of: str


class GuideRequest(TypedDict):
    """The request for the guide; it has no options."""

    guide: bool


class HardwareOut(TypedDict):
    """Devices of one kind in a machine."""

    spec: Union[str, None]
    vendor: str
    name: str
    accelerators: list[str]
    count: int
    source: Literal["nvml", "nvidia-smi", "amdgpu", "rocm-smi", "amd-smi", "neuron-ls", "neuron", "hl-smi", "tpu", "pci"]
    driver: Union[str, None]
    cuda: NotRequired[Union[str, None]]
    devices: list[DeviceOut]
    matches: NotRequired[Union[bool, None]]
    offers: list[OfferOut]


class HostOut(TypedDict):
    """A machine that accelerators are attached to."""

    instance_type: str
    vcpu: Num
    host_memory_gib: Num
    max_vcpu: Union[Num, None]
    max_host_memory_gb: Union[Num, None]
    region: Union[str, None]
    usd_per_hour: Union[Num, None]
    spot_usd_per_hour: Union[Num, None]
    source: str
    as_of: str


class InterconnectOut(TypedDict):
    """The network between machines."""

    kind: Literal["efa", "infiniband", "roce", "gpudirect-tcpx"]
    gb_per_s_per_accelerator: Num
    source: str


class IsAnswer(TypedDict):
    """The JSON document of an answer: the request, the results, and where they come from."""

    schema: Literal["sky-accel.is.v1"]
    catalog: CatalogInfo
    live: NotRequired[list[AnswerOut]]
    request: IsRequest
    results: list[IsOut]
    left_off: NotRequired[Union[int, None]]
    funnel: NotRequired[list[FunnelOut]]
    nearest: NotRequired[list[NearestOut]]
    explain: NotRequired[Union[list[ExplainOut], None]]
    notes: list[NoteOut]


# The result of checking the kind of an accelerator.
IsOut = TypedDict(
    "IsOut",
    {
        "kind": "str",
        "name": "str",
        "accelerators": "list[str]",
        "is": "bool",
    },
)


class IsRequest(TypedDict):
    """A request to check the kind of an accelerator."""

    kind: str
    name: str


class KnownModelOut(TypedDict):
    """A model of the catalog."""

    id: str
    kind: Literal["text", "encoder", "image", "video", "speech"]
    parameters: NotRequired[Union[Num, None]]
    active_parameters: NotRequired[Union[Num, None]]
    embedding_parameters: NotRequired[Union[Num, None]]
    context: NotRequired[Union[int, None]]
    native_context: NotRequired[Union[int, None]]
    cache_bytes_per_token: NotRequired[Union[Num, None]]
    cache_fixed_bytes: NotRequired[Union[Num, None]]
    stored_as: NotRequired[Union[str, None]]
    weights_gb: NotRequired[Union[Num, None]]
    min_vllm: NotRequired[Union[str, None]]
    checkpoints: NotRequired[list[CheckpointOut]]
    unit: NotRequired[Union[str, None]]
    refused: NotRequired[Union[str, None]]
    quality: NotRequired[Union[QualityOut, None]]
    api_prices: NotRequired[Union[ApiPricesOut, None]]
    run: NotRequired[Union[ModelRunOut, None]]
    names: list[str]
    source: str


class LargestOut(TypedDict):
    """The largest context and batch that fit, each with all other settings unchanged."""

    context: Union[Num, None]
    batch: Union[Num, None]


class LaunchOut(TypedDict):
    """A command for a POSIX shell."""

    command: str
    max_tokens: NotRequired[Union[Num, None]]
    variables: NotRequired[list[VariableOut]]


class LayoutOut(TypedDict):
    """GPUs with the same layout."""

    gpu_indexes: list[int]
    count: int
    existing: NotRequired[list[str]]
    layout: list[str]


class LikelihoodOut(TypedDict):
    """A likelihood on the scale of a provider. Values of different scales cannot be compared."""

    value: str
    scale: Literal["aws-score", "gcp-obtainability", "azure-mix", "azure-spot", "nebius-level", "stock-class", "rank"]
    band: NotRequired[Union[Literal["high", "medium", "low"], None]]


class ListAnswer(TypedDict):
    """The JSON document of an answer: the request, the results, and where they come from."""

    schema: Literal["sky-accel.list.v1"]
    catalog: CatalogInfo
    live: NotRequired[list[AnswerOut]]
    request: ListRequest
    results: list[AcceleratorOut]
    left_off: NotRequired[Union[int, None]]
    funnel: NotRequired[list[FunnelOut]]
    nearest: NotRequired[list[NearestOut]]
    explain: NotRequired[Union[list[ExplainOut], None]]
    notes: list[NoteOut]


class ListRequest(TypedDict):
    """Filters of `list`; all of them must hold."""

    filters: list[str]
    providers: list[str]
    mig: bool
    max_age_s: NotRequired[Union[int, None]]
    sort: NotRequired[Union[Literal["name", "memory", "bandwidth", "tflops", "tdp", "year"], None]]
    limit: NotRequired[Union[int, None]]


class LiveClientOut(TypedDict):
    """The client for live answers of a provider."""

    published: str
    unpublished: Union[str, None]
    terms: Union[str, None]
    key_variables: list[str]
    key_files: list[str]
    key_rights: Union[str, None]


class LiveDoctorAnswer(TypedDict):
    """The JSON document of an answer: the request, the results, and where they come from."""

    schema: Literal["sky-accel.live-doctor.v1"]
    catalog: CatalogInfo
    live: NotRequired[list[AnswerOut]]
    request: DoctorEcho
    results: list[CredentialsOut]
    left_off: NotRequired[Union[int, None]]
    funnel: NotRequired[list[FunnelOut]]
    nearest: NotRequired[list[NearestOut]]
    explain: NotRequired[Union[list[ExplainOut], None]]
    notes: list[NoteOut]


class LossOut(TypedDict):
    """A part of a plan or spec that a format cannot express."""

    code: Literal["accelerator", "memory", "form", "name", "count", "mig", "order", "fallback", "provider", "region", "spot", "capacity", "max_price", "nodes", "interconnect", "host", "cuda_min", "image", "command", "disk"]
    message: str


class MarketOut(TypedDict):
    """The prices of an accelerator in one kind of market. All amounts are US dollars per hour for one accelerator."""

    accelerator: str
    kind: Literal["list", "hyperscaler-list", "marketplace", "spot", "hyperscaler-spot"]
    capacity_type: Literal["on-demand", "spot"]
    today: NotRequired[Union[SpreadOut, None]]
    cheapest: NotRequired[Union[CheapestOut, None]]
    quarters: list[QuarterOut]


class MemoryOut(TypedDict):
    """Memory in GiB on the fullest device."""

    weights: Num
    frozen: NotRequired[Union[Num, None]]
    kv_cache: Num
    activations: Num
    logits: Num
    gradients: Num
    optimizer: Num
    adapters: Num
    framework: Num
    steady: Num
    allocated: Num
    reserved: Num
    device: Num
    low: Num
    high: Num
    usable: Union[Num, None]
    headroom: Union[Num, None]


class MigFitAnswer(TypedDict):
    """The JSON document of an answer: the request, the results, and where they come from."""

    schema: Literal["sky-accel.mig-fit.v1"]
    catalog: CatalogInfo
    live: NotRequired[list[AnswerOut]]
    request: MigFitRequest
    results: list[MigFitOut]
    left_off: NotRequired[Union[int, None]]
    funnel: NotRequired[list[FunnelOut]]
    nearest: NotRequired[list[NearestOut]]
    explain: NotRequired[Union[list[ExplainOut], None]]
    notes: list[NoteOut]


class MigFitOut(TypedDict):
    """The placement of slices on a GPU."""

    gpu: str
    fits: bool
    gpus_needed: Union[int, None]
    placements: list[PlacementOut]
    existing: NotRequired[list[PlacementOut]]
    reason: NotRequired[Union[NoteOut, None]]
    free: list[FreeOut]


class MigFitRequest(TypedDict):
    """A GPU, and slices to place on it. An answer repeats the request in canonical form."""

    gpu: str
    profiles: str
    occupied: list[str]


class MigOut(TypedDict):
    """The MIG slices on a machine."""

    gpus_needed: int
    placements: list[PlacementOut]


class MigPackAnswer(TypedDict):
    """The JSON document of an answer: the request, the results, and where they come from."""

    schema: Literal["sky-accel.mig-pack.v1"]
    catalog: CatalogInfo
    live: NotRequired[list[AnswerOut]]
    request: PackRequest
    results: list[PackOut]
    left_off: NotRequired[Union[int, None]]
    funnel: NotRequired[list[FunnelOut]]
    nearest: NotRequired[list[NearestOut]]
    explain: NotRequired[Union[list[ExplainOut], None]]
    notes: list[NoteOut]


class MigProfilesAnswer(TypedDict):
    """The JSON document of an answer: the request, the results, and where they come from."""

    schema: Literal["sky-accel.mig-profiles.v1"]
    catalog: CatalogInfo
    live: NotRequired[list[AnswerOut]]
    request: ProfilesRequest
    results: list[ProfileRow]
    left_off: NotRequired[Union[int, None]]
    funnel: NotRequired[list[FunnelOut]]
    nearest: NotRequired[list[NearestOut]]
    explain: NotRequired[Union[list[ExplainOut], None]]
    notes: list[NoteOut]


class MixAnswer(TypedDict):
    """The JSON document of an answer: the request, the results, and where they come from."""

    schema: Literal["sky-accel.mix.v1"]
    catalog: CatalogInfo
    live: NotRequired[list[AnswerOut]]
    request: MixEcho
    results: list[MixOut]
    left_off: NotRequired[Union[int, None]]
    funnel: NotRequired[list[FunnelOut]]
    nearest: NotRequired[list[NearestOut]]
    explain: NotRequired[Union[list[ExplainOut], None]]
    notes: list[NoteOut]


class MixEcho(TypedDict):
    """The request as it was understood."""

    spec: str
    providers: list[str]
    regions: list[str]
    capacity_type: NotRequired[Literal["unspecified", "on-demand", "spot", "any"]]
    price_tier: NotRequired[Union[str, None]]
    max_price: NotRequired[Union[Num, None]]
    limit: NotRequired[Union[int, None]]
    max_age_s: NotRequired[Union[int, None]]
    price: NotRequired[Literal["likely", "stated"]]
    min_vcpu: NotRequired[Union[Num, None]]
    min_host_memory_gib: NotRequired[Union[Num, None]]
    interconnect: NotRequired[Union[Literal["efa", "infiniband", "nvlink", "any"], None]]
    available: NotRequired[bool]
    hours: NotRequired[Union[Num, None]]
    currency: NotRequired[Union[str, None]]
    commit: NotRequired[Union[str, None]]
    upfront: NotRequired[Union[Literal["none", "partial", "all"], None]]
    profile: NotRequired[Union[str, None]]
    base_hours: NotRequired[list[Num]]
    machines: int
    machine_hours: Num
    spot: int


class MixOut(TypedDict):
    """The cheapest mix of one kind of machine."""

    spec: str
    provider: str
    instance_type: str
    sells: Literal["machine", "attached", "container", "slice", "share", "endpoint"]
    broker: NotRequired[Union[str, None]]
    upstream: NotRequired[Union[str, None]]
    hosts: NotRequired[Union[int, None]]
    topology: NotRequired[Union[str, None]]
    network: NotRequired[Union[NetworkOut, None]]
    display_name: NotRequired[Union[str, None]]
    url: NotRequired[Union[str, None]]
    accelerator: str
    count: Num
    memory_gb: Union[Num, None]
    memory_mib: Union[Num, None]
    total_memory_gb: Union[Num, None]
    vcpu: Union[Num, None]
    host_memory_gib: Union[Num, None]
    host_arch: Union[str, None]
    host: NotRequired[Union[HostOut, None]]
    regions: Union[list[str], None]
    on_demand: Union[PriceOut, None]
    committed: NotRequired[Union[PriceOut, None]]
    commitments: NotRequired[list[CommitmentOut]]
    spot: Union[PriceOut, None]
    currency: NotRequired[Union[CurrencyOut, None]]
    other_prices: NotRequired[list[PriceOut]]
    hours: NotRequired[Union[Num, None]]
    billed_hours: NotRequired[Union[Num, None]]
    usd_total: NotRequired[Union[Num, None]]
    availability: Literal["unknown", "available", "limited", "unavailable"]
    status: Literal["offered", "spot-only", "reserved-only", "preview", "unlisted", "stale", "retired"]
    status_note: NotRequired[Union[str, None]]
    mig_profile: NotRequired[Union[str, None]]
    mig: NotRequired[Union[MigOut, None]]
    reasons: NotRequired[list[Literal["max-count-unknown", "region-unverified", "may-be-another", "mig-unverified", "larger", "old-price", "not-reached", "unconfirmed-price", "implausible-price", "small-host", "private-host"]]]
    machines: NotRequired[Union[int, None]]
    region_prices: NotRequired[list[RegionPriceOut]]
    spot_placement_scores: NotRequired[list[SpotScoreOut]]
    capacity_blocks: NotRequired[list[CapacityBlockOut]]
    quotas: NotRequired[list[QuotaOut]]
    obtainability: NotRequired[list[ObtainabilityOut]]
    group: NotRequired[Union[GroupOut, None]]
    source: str
    as_of: str
    reserved: MixPartOut
    commitment: Union[CommitmentOut, None]
    on_demand_machines: MixPartOut
    spot_machines: MixPartOut
    interruption_rate: NotRequired[Union[str, None]]
    on_demand_usd_per_hour: Num
    reserved_usd_per_hour: Union[Num, None]
    break_even_utilization: Union[Num, None]
    usd_per_month: Num
    usd_per_month_on_demand: Num
    usd_per_month_reserved: Union[Num, None]
    upfront_usd: Union[Num, None]


class MixPartOut(TypedDict):
    """Some machines of a mix."""

    machines: int
    hours: Num
    utilization: Num
    usd_per_month: Num


class ModelOut(TypedDict):
    """The model that was computed."""

    name: str
    kind: NotRequired[Literal["text", "encoder", "image", "video", "speech"]]
    unit: NotRequired[Union[str, None]]
    parameters: Num
    active_parameters: Num
    weights_gib: Num
    checkpoint_gib: Union[Num, None]
    source: str


class ModelRunOut(TypedDict):
    """A model on the hardware of the request."""

    engine: Literal["none", "transformers", "vllm", "sglang", "llama.cpp", "tensorrt-llm", "deepspeed", "torchtitan", "torchtune", "litgpt", "ms-swift", "unsloth", "axolotl"]
    precision: str
    checkpoint: NotRequired[Union[str, None]]
    high_gib: Num
    usable_gib: Num
    tokens_per_s_per_user: NotRequired[Union[Num, None]]
    tokens_per_s: NotRequired[Union[Num, None]]
    ttft_s: NotRequired[Union[Num, None]]
    max_context: NotRequired[Union[Num, None]]
    is_usual_speed: bool


class ModelsAnswer(TypedDict):
    """The JSON document of an answer: the request, the results, and where they come from."""

    schema: Literal["sky-accel.models.v1"]
    catalog: CatalogInfo
    live: NotRequired[list[AnswerOut]]
    request: ModelsRequest
    results: list[KnownModelOut]
    left_off: NotRequired[Union[int, None]]
    funnel: NotRequired[list[FunnelOut]]
    nearest: NotRequired[list[NearestOut]]
    explain: NotRequired[Union[list[ExplainOut], None]]
    hardware: NotRequired[Union[OnHardwareOut, None]]
    notes: list[NoteOut]


class ModelsRequest(TypedDict):
    """A filter of models."""

    filter: NotRequired[Union[str, None]]
    on: NotRequired[Union[str, None]]
    concurrency: NotRequired[Union[Num, None]]
    context: NotRequired[Union[Num, None]]
    generate: NotRequired[Union[Num, None]]
    budget_usd_per_hour: NotRequired[Union[Num, None]]
    limit: NotRequired[Union[int, None]]
    price: NotRequired[Literal["likely", "stated"]]
    max_age_s: NotRequired[Union[int, None]]


class NamesRequest(TypedDict):
    """Names of accelerators, in any dialect; `show` accepts providers too."""

    names: list[str]
    max_age_s: NotRequired[Union[int, None]]


class NearestOut(TypedDict):
    """An alternative: an offer that meets the spec except for one relaxed condition."""

    relation: Literal["larger", "smaller", "other-region", "other-memory", "other-variant", "other-provider", "other-capacity-type", "higher-price", "multi-node", "other-accelerator"]
    nodes: NotRequired[Union[int, None]]
    spec: str
    provider: str
    instance_type: str
    sells: Literal["machine", "attached", "container", "slice", "share", "endpoint"]
    broker: NotRequired[Union[str, None]]
    upstream: NotRequired[Union[str, None]]
    hosts: NotRequired[Union[int, None]]
    topology: NotRequired[Union[str, None]]
    network: NotRequired[Union[NetworkOut, None]]
    display_name: NotRequired[Union[str, None]]
    url: NotRequired[Union[str, None]]
    accelerator: str
    count: Num
    memory_gb: Union[Num, None]
    memory_mib: Union[Num, None]
    total_memory_gb: Union[Num, None]
    vcpu: Union[Num, None]
    host_memory_gib: Union[Num, None]
    host_arch: Union[str, None]
    host: NotRequired[Union[HostOut, None]]
    regions: Union[list[str], None]
    on_demand: Union[PriceOut, None]
    committed: NotRequired[Union[PriceOut, None]]
    commitments: NotRequired[list[CommitmentOut]]
    spot: Union[PriceOut, None]
    currency: NotRequired[Union[CurrencyOut, None]]
    other_prices: NotRequired[list[PriceOut]]
    hours: NotRequired[Union[Num, None]]
    billed_hours: NotRequired[Union[Num, None]]
    usd_total: NotRequired[Union[Num, None]]
    availability: Literal["unknown", "available", "limited", "unavailable"]
    status: Literal["offered", "spot-only", "reserved-only", "preview", "unlisted", "stale", "retired"]
    status_note: NotRequired[Union[str, None]]
    mig_profile: NotRequired[Union[str, None]]
    mig: NotRequired[Union[MigOut, None]]
    reasons: NotRequired[list[Literal["max-count-unknown", "region-unverified", "may-be-another", "mig-unverified", "larger", "old-price", "not-reached", "unconfirmed-price", "implausible-price", "small-host", "private-host"]]]
    machines: NotRequired[Union[int, None]]
    region_prices: NotRequired[list[RegionPriceOut]]
    spot_placement_scores: NotRequired[list[SpotScoreOut]]
    capacity_blocks: NotRequired[list[CapacityBlockOut]]
    quotas: NotRequired[list[QuotaOut]]
    obtainability: NotRequired[list[ObtainabilityOut]]
    group: NotRequired[Union[GroupOut, None]]
    source: str
    as_of: str


class NeedsOut(TypedDict):
    """The requirement of a check."""

    code: NotRequired[Union[str, None]]
    vcpu: NotRequired[Union[int, None]]
    cuda: NotRequired[Union[str, None]]
    driver_min: NotRequired[Union[str, None]]


class NetworkOut(TypedDict):
    """The network between machines of one type."""

    kind: Literal["efa", "infiniband", "roce", "gpudirect-tcpx"]
    gbit_per_s: Num
    source: str
    as_of: str


class NoteOut(TypedDict):
    """A note on the answer, or an error of one provider."""

    code: str
    message: str
    quoted: NotRequired[Union[str, None]]


Num: TypeAlias = "float"


class ObtainabilityOut(TypedDict):
    """An answer on whether machines of an offer can be had, for one place, capacity type and number of machines. An unknown value is omitted; it is neither zero nor "no"."""

    place: StockPlaceOut
    capacity_type: Literal["on-demand", "spot", "reservation", "capacity-block"]
    machines_asked: int
    state: Literal["available", "limited", "unavailable", "blocked", "offered", "not-offered", "unknown"]
    state_for_request: Literal["available", "limited", "unavailable", "blocked", "offered", "not-offered", "unknown"]
    count: NotRequired[Union[StockCountOut, None]]
    likelihood: NotRequired[Union[LikelihoodOut, None]]
    uptime_s: NotRequired[Union[int, None]]
    risk: NotRequired[Union[RiskOut, None]]
    windows: NotRequired[list[WindowOut]]
    ready_s: NotRequired[Union[int, None]]
    quota: NotRequired[Union[QuotaLeftOut, None]]
    source: str
    account_specific: bool
    confidential: bool
    measured_at: NotRequired[Union[str, None]]
    fetched_at: str
    valid_until: NotRequired[Union[str, None]]


class OfferOut(TypedDict):
    """A machine, or a number of devices, for rent from a provider."""

    spec: str
    provider: str
    instance_type: str
    sells: Literal["machine", "attached", "container", "slice", "share", "endpoint"]
    broker: NotRequired[Union[str, None]]
    upstream: NotRequired[Union[str, None]]
    hosts: NotRequired[Union[int, None]]
    topology: NotRequired[Union[str, None]]
    network: NotRequired[Union[NetworkOut, None]]
    display_name: NotRequired[Union[str, None]]
    url: NotRequired[Union[str, None]]
    accelerator: str
    count: Num
    memory_gb: Union[Num, None]
    memory_mib: Union[Num, None]
    total_memory_gb: Union[Num, None]
    vcpu: Union[Num, None]
    host_memory_gib: Union[Num, None]
    host_arch: Union[str, None]
    host: NotRequired[Union[HostOut, None]]
    regions: Union[list[str], None]
    on_demand: Union[PriceOut, None]
    committed: NotRequired[Union[PriceOut, None]]
    commitments: NotRequired[list[CommitmentOut]]
    spot: Union[PriceOut, None]
    currency: NotRequired[Union[CurrencyOut, None]]
    other_prices: NotRequired[list[PriceOut]]
    hours: NotRequired[Union[Num, None]]
    billed_hours: NotRequired[Union[Num, None]]
    usd_total: NotRequired[Union[Num, None]]
    availability: Literal["unknown", "available", "limited", "unavailable"]
    status: Literal["offered", "spot-only", "reserved-only", "preview", "unlisted", "stale", "retired"]
    status_note: NotRequired[Union[str, None]]
    mig_profile: NotRequired[Union[str, None]]
    mig: NotRequired[Union[MigOut, None]]
    reasons: NotRequired[list[Literal["max-count-unknown", "region-unverified", "may-be-another", "mig-unverified", "larger", "old-price", "not-reached", "unconfirmed-price", "implausible-price", "small-host", "private-host"]]]
    machines: NotRequired[Union[int, None]]
    region_prices: NotRequired[list[RegionPriceOut]]
    spot_placement_scores: NotRequired[list[SpotScoreOut]]
    capacity_blocks: NotRequired[list[CapacityBlockOut]]
    quotas: NotRequired[list[QuotaOut]]
    obtainability: NotRequired[list[ObtainabilityOut]]
    group: NotRequired[Union[GroupOut, None]]
    source: str
    as_of: str


class OnHardwareOut(TypedDict):
    """The hardware that models are sized for."""

    accelerator: str
    count: int
    memory_gib: NotRequired[Union[Num, None]]
    usd_per_hour: NotRequired[Union[Num, None]]
    provider: NotRequired[Union[str, None]]
    provider_name: NotRequired[Union[str, None]]
    price: NotRequired[Union[PriceOut, None]]


class OptimizerStepOut(TypedDict):
    """An optimizer step, or all optimizer steps after one rollout."""

    seconds: Num
    sequences: Num
    tokens: Num
    phases: NotRequired[list[PhaseOut]]
    rollout_devices: NotRequired[Union[int, None]]
    rollout_tensor: NotRequired[Union[int, None]]


class OwnMachineOut(TypedDict):
    """A machine that the user owns, which is as fast as the first recommended machine."""

    price_usd: Num
    years: Num
    kw: Num
    usd_per_kwh: Num
    utilization: Num
    usd_per_hour: Num
    usd_per_unit: NotRequired[Union[Num, None]]
    break_even_utilization: NotRequired[Union[Num, None]]


class PackOut(TypedDict):
    """Slices packed onto a minimum number of GPUs."""

    gpu: str
    slices: str
    fits: bool
    gpus_needed: int
    gpus_new: NotRequired[Union[int, None]]
    gpus_at_least: int
    proved: bool
    gpus: int
    layouts: list[LayoutOut]
    placements: list[PlacementOut]
    existing: NotRequired[list[PlacementOut]]
    left: NotRequired[list[UnplacedOut]]
    reason: NotRequired[Union[NoteOut, None]]
    free: list[FreeOut]
    waste: WasteOut
    cheapest: Union[CostOut, None]


class PackRequest(TypedDict):
    """Slices, and the kind of GPU to pack them onto. An answer repeats the request in canonical form."""

    gpu: str
    slices: str
    gpus: NotRequired[Union[int, None]]
    onto: NotRequired[Union[str, None]]
    price: NotRequired[Literal["likely", "stated"]]
    max_age_s: NotRequired[Union[int, None]]


class ParallelismOut(TypedDict):
    """The distribution of the work over devices."""

    tensor: int
    pipeline: int
    data: int
    context: NotRequired[int]
    expert: NotRequired[int]
    zero_stage: int
    shard_groups: NotRequired[int]


# A price of the past in US dollars per hour for one accelerator.
PastPriceOut = TypedDict(
    "PastPriceOut",
    {
        "accelerator": "str",
        "kind": 'Literal["list", "hyperscaler-list", "marketplace", "spot", "hyperscaler-spot"]',
        "capacity_type": 'Literal["on-demand", "spot"]',
        "price_kind": 'Literal["list", "live", "snapshot", "estimate", "contract", "committed"]',
        "provider": "str",
        "from": "str",
        "until": "str",
        "usd_per_accelerator_hour": "Num",
        "median_usd_per_accelerator_hour": "Num",
        "high_usd_per_accelerator_hour": "Num",
        "source": "str",
    },
)


class PathOut(TypedDict):
    """A source of facts."""

    layer: str
    path: NotRequired[Union[str, None]]
    exists: NotRequired[Union[bool, None]]


class PhaseOut(TypedDict):
    """A phase of a training step."""

    phase: Literal["rollout", "scoring", "training", "refit"]
    seconds: Num
    device_gib: NotRequired[Union[Num, None]]


class PickOut(TypedDict):
    """A pick."""

    kind: Literal["cheapest", "value", "safest", "fastest", "alternative"]
    also: NotRequired[list[Literal["cheapest", "value", "safest", "fastest", "alternative"]]]
    rank: int
    spec: str
    precision: NotRequired[Union[str, None]]
    nodes: NotRequired[Union[int, None]]
    provider: str
    instance_type: str
    usd_per_hour: Num
    low: Num
    high: Num
    why: str


class PlaceholderOut(TypedDict):
    """A value that the user has to fill in."""

    name: str
    meaning: str


class PlacementOut(TypedDict):
    """A MIG instance and its position on a GPU."""

    gpu_index: int
    profile: str
    profile_id: Union[int, None]
    start: Union[int, None]
    size: Union[int, None]
    memory_mib: Union[int, None]
    compute_instances: NotRequired[list[str]]


class PlanAnswer(TypedDict):
    """The JSON document of an answer: the request, the results, and where they come from."""

    schema: Literal["sky-accel.plan.v1"]
    catalog: CatalogInfo
    live: NotRequired[list[AnswerOut]]
    request: PlanEcho
    results: list[CandidateOut]
    left_off: NotRequired[Union[int, None]]
    funnel: NotRequired[list[FunnelOut]]
    nearest: NotRequired[list[NearestOut]]
    explain: NotRequired[Union[list[ExplainOut], None]]
    id: str
    rejected: list[RejectedOut]
    totals: TotalsOut
    steps: list[StepOut]
    render: NotRequired[Union[RenderOut, None]]
    notes: list[NoteOut]


class PlanDiffAnswer(TypedDict):
    """The JSON document of an answer: the request, the results, and where they come from."""

    schema: Literal["sky-accel.plan-diff.v1"]
    catalog: CatalogInfo
    live: NotRequired[list[AnswerOut]]
    request: PlanDiffRequest
    results: list[ChangeOut]
    left_off: NotRequired[Union[int, None]]
    funnel: NotRequired[list[FunnelOut]]
    nearest: NotRequired[list[NearestOut]]
    explain: NotRequired[Union[list[ExplainOut], None]]
    notes: list[NoteOut]


class PlanDiffRequest(TypedDict):
    """Two plans to compare."""

    a: str
    b: str


class PlanEcho(TypedDict):
    """The request of a plan as it was understood."""

    spec: str
    providers: list[str]
    regions: list[str]
    capacity_type: Literal["on-demand", "spot", "spot-first", "any"]
    price_tier: NotRequired[Union[str, None]]
    currency: NotRequired[Union[str, None]]
    max_price: NotRequired[Union[Num, None]]
    budget: NotRequired[Union[Num, None]]
    hours: NotRequired[Union[Num, None]]
    nodes: int
    objective: NotRequired[Literal["price", "obtainability"]]
    available: NotRequired[bool]
    exact: bool
    distinct: NotRequired[Union[str, None]]
    min_vcpu: NotRequired[Union[Num, None]]
    min_host_memory_gib: NotRequired[Union[Num, None]]
    interconnect: NotRequired[Union[Literal["efa", "infiniband", "nvlink", "any"], None]]
    cuda: NotRequired[Union[str, None]]
    disk_gb: NotRequired[Union[int, None]]
    reservation: NotRequired[Union[str, None]]
    capacity_block: NotRequired[Union[str, None]]
    limit: int
    live: bool
    max_age_s: NotRequired[Union[int, None]]


class PowerBandOut(TypedDict):
    """One end of the band of the power."""

    watts_per_device: Num


PreciseNum: TypeAlias = "float"


class PriceHistoryAnswer(TypedDict):
    """The JSON document of an answer: the request, the results, and where they come from."""

    schema: Literal["sky-accel.price-history.v1"]
    catalog: CatalogInfo
    live: NotRequired[list[AnswerOut]]
    request: PricesEcho
    results: list[PastPriceOut]
    left_off: NotRequired[Union[int, None]]
    funnel: NotRequired[list[FunnelOut]]
    nearest: NotRequired[list[NearestOut]]
    explain: NotRequired[Union[list[ExplainOut], None]]
    currency: NotRequired[Union[RateOut, None]]
    notes: list[NoteOut]


class PriceOut(TypedDict):
    """A price in US dollars."""

    capacity_type: NotRequired[Union[Literal["on-demand", "spot"], None]]
    usd_per_hour: Num
    usd_per_accelerator_hour: Num
    likely_usd_per_hour: Num
    low: Num
    high: Num
    age_days: Union[int, None]
    sources: int
    region: NotRequired[Union[str, None]]
    zone: NotRequired[Union[str, None]]
    offer_id: NotRequired[Union[str, None]]
    availability: NotRequired[Union[Literal["unknown", "available", "limited", "unavailable"], None]]
    tier: NotRequired[Union[str, None]]
    kind: Literal["list", "live", "snapshot", "estimate", "contract", "committed"]
    quality: Literal["provider", "aggregator", "documentation", "pattern"]
    currency: NotRequired[Union[CurrencyOut, None]]
    statistic: NotRequired[Union[Literal["lowest-zone", "median-zone"], None]]
    interruption_rate: NotRequired[Union[str, None]]
    as_of: str
    source: str
    doubts: NotRequired[list[Literal["max-count-unknown", "region-unverified", "may-be-another", "mig-unverified", "larger", "old-price", "not-reached", "unconfirmed-price", "implausible-price", "small-host", "private-host"]]]


class PriceRangeOut(TypedDict):
    """A range of prices."""

    low_usd_per_accelerator_hour: Num
    high_usd_per_accelerator_hour: Num


class PricesAnswer(TypedDict):
    """The JSON document of an answer: the request, the results, and where they come from."""

    schema: Literal["sky-accel.prices.v1"]
    catalog: CatalogInfo
    live: NotRequired[list[AnswerOut]]
    request: PricesEcho
    results: list[MarketOut]
    left_off: NotRequired[Union[int, None]]
    funnel: NotRequired[list[FunnelOut]]
    nearest: NotRequired[list[NearestOut]]
    explain: NotRequired[Union[list[ExplainOut], None]]
    currency: NotRequired[Union[RateOut, None]]
    notes: list[NoteOut]


class PricesEcho(TypedDict):
    """The request as it was understood."""

    specs: list[str]
    providers: list[str]
    capacity_type: Literal["unspecified", "on-demand", "spot", "any"]
    max_age_s: NotRequired[Union[int, None]]


class ProfileNamesOut(TypedDict):
    """The names of a profile in other tools; `null` if a tool has no name for it."""

    kubernetes_mixed: str
    kubernetes_single: str
    gpu_operator: str
    gke: Union[str, None]
    aks: Union[str, None]
    flyte: Union[list[str], None]


class ProfileOut(TypedDict):
    """A MIG profile."""

    profile: str
    profile_id: Union[int, None]
    max_instances: int
    memory_mib: Union[int, None]
    compute_slices: int
    memory_slices: Union[int, None]
    size: Union[int, None]
    starts: list[int]
    sm: Union[int, None]
    engines: NotRequired[Union[EnginesOut, None]]
    source: str


class ProfileRow(TypedDict):
    """A MIG profile of a GPU, with its names in other tools."""

    gpu: str
    driver_min: Union[str, None]
    profile: str
    profile_id: Union[int, None]
    max_instances: int
    memory_mib: Union[int, None]
    compute_slices: int
    memory_slices: Union[int, None]
    size: Union[int, None]
    starts: list[int]
    sm: Union[int, None]
    engines: NotRequired[Union[EnginesOut, None]]
    source: str
    aliases: list[str]
    names: ProfileNamesOut


class ProfilesRequest(TypedDict):
    """A GPU whose MIG profiles are listed."""

    gpu: str


class ProviderOut(TypedDict):
    """A provider, with a summary of its offers. Retired offers do not count."""

    kind: Literal["provider"]
    id: str
    name: str
    aliases: list[str]
    groups: list[str]
    broker: bool
    auction: bool
    billing: Union[str, None]
    billing_unit_s: Union[int, None]
    billing_minimum_s: NotRequired[Union[int, None]]
    charges: list[ChargeOut]
    docs: Union[str, None]
    url: NotRequired[Union[str, None]]
    tiers: list[str]
    commitments: NotRequired[list[SoldCommitmentOut]]
    capacity_types: list[Literal["on-demand", "spot"]]
    regions: list[str]
    accelerators: list[str]
    instance_types: int
    priced_instance_types: int
    oldest_price: Union[str, None]
    newest_price: Union[str, None]
    price_max_age_days: int
    live: Union[LiveClientOut, None]
    targets: list[str]


class QualityLossOut(TypedDict):
    """The expected loss of quality of a part of a model, from measurements of models in the format."""

    part: Literal["weights", "kv-cache"]
    format: str
    low_percent: Union[Num, None]
    high_percent: Union[Num, None]
    measure: NotRequired[Union[Literal["benchmarks", "perplexity"], None]]
    source: NotRequired[Union[str, None]]
    as_of: NotRequired[Union[str, None]]


class QualityOut(TypedDict):
    """The quality of a model on a public leaderboard."""

    score: Num
    leaderboard: str
    source: str
    as_of: str


class QuarterOut(TypedDict):
    """The prices of a quarter of a year."""

    quarter: str
    sources: int
    low_usd_per_accelerator_hour: Num
    p25_usd_per_accelerator_hour: Num
    median_usd_per_accelerator_hour: Num
    p75_usd_per_accelerator_hour: Num
    high_usd_per_accelerator_hour: Num


class QuotaAnswer(TypedDict):
    """The JSON document of an answer: the request, the results, and where they come from."""

    schema: Literal["sky-accel.quota.v1"]
    catalog: CatalogInfo
    live: NotRequired[list[AnswerOut]]
    request: QuotaEcho
    results: list[AccountQuotaOut]
    left_off: NotRequired[Union[int, None]]
    funnel: NotRequired[list[FunnelOut]]
    nearest: NotRequired[list[NearestOut]]
    explain: NotRequired[Union[list[ExplainOut], None]]
    notes: list[NoteOut]


class QuotaEcho(TypedDict):
    """The machines whose quotas are requested, as they were understood."""

    spec: str
    providers: list[str]
    regions: list[str]
    capacity_type: NotRequired[Literal["unspecified", "on-demand", "spot", "any"]]
    price_tier: NotRequired[Union[str, None]]
    max_price: NotRequired[Union[Num, None]]
    limit: NotRequired[Union[int, None]]
    max_age_s: NotRequired[Union[int, None]]
    price: NotRequired[Literal["likely", "stated"]]
    min_vcpu: NotRequired[Union[Num, None]]
    min_host_memory_gib: NotRequired[Union[Num, None]]
    interconnect: NotRequired[Union[Literal["efa", "infiniband", "nvlink", "any"], None]]
    available: NotRequired[bool]
    hours: NotRequired[Union[Num, None]]
    currency: NotRequired[Union[str, None]]
    commit: NotRequired[Union[str, None]]
    upfront: NotRequired[Union[Literal["none", "partial", "all"], None]]
    nodes: int


class QuotaLeftOut(TypedDict):
    """A quota of the account, and the number of machines that it admits."""

    name: Union[str, None]
    code: str
    unit: Literal["vcpus", "accelerators", "machines"]
    limit: Union[Num, None]
    unlimited: bool
    used: Union[Num, None]
    left: Union[Num, None]
    machines: Union[int, None]
    scope: Literal["region", "all-regions"]
    region: Union[str, None]
    adjustable: Union[bool, None]


class QuotaOut(TypedDict):
    """The account's quota for the pool that an instance type belongs to."""

    region: str
    capacity_type: Literal["on-demand", "spot"]
    code: str
    name: Union[str, None]
    limit_vcpu: Num
    used_vcpu: Union[Num, None]
    left_vcpu: Union[Num, None]
    needed_vcpu: Union[Num, None]
    machines_asked: int
    allows: Union[bool, None]


class RaiseOut(TypedDict):
    """How to raise a quota."""

    limit: int
    command: Union[str, None]
    url: Union[str, None]


class RateOut(TypedDict):
    """A currency, with its rate. Amounts in the document stay in US dollars."""

    code: str
    usd_rate: Num
    rate_as_of: str


class RecommendAnswer(TypedDict):
    """The JSON document of an answer: the request, the results, and where they come from."""

    schema: Literal["sky-accel.recommend.v1"]
    catalog: CatalogInfo
    live: NotRequired[list[AnswerOut]]
    request: RecommendEcho
    results: list[RecommendOut]
    left_off: NotRequired[Union[int, None]]
    funnel: NotRequired[list[FunnelOut]]
    nearest: NotRequired[list[NearestOut]]
    explain: NotRequired[Union[list[ExplainOut], None]]
    picks: NotRequired[list[PickOut]]
    relax: NotRequired[list[RelaxOut]]
    cheaper_precision: NotRequired[Union[CheaperPrecisionOut, None]]
    comparison: NotRequired[Union[ApiComparisonOut, None]]
    notes: list[NoteOut]


class RecommendEcho(TypedDict):
    """The request of a recommendation, with every default filled in."""

    spec: NotRequired[Union[str, None]]
    nodes: NotRequired[Union[str, None]]
    model: NotRequired[Any]
    model_size: NotRequired[Union[str, None]]
    workload: NotRequired[Literal["inference", "lora", "qlora", "full", "pretrain", "dpo", "grpo", "ppo", "distill"]]
    precision: NotRequired[str]
    group_size: NotRequired[Union[Num, None]]
    kv_precision: NotRequired[Union[Literal["bf16", "fp8", "int8", "q8_0", "q4_0"], None]]
    context: NotRequired[Num]
    generate: NotRequired[Union[Num, None]]
    max_context: NotRequired[Union[Num, None]]
    batch: NotRequired[Union[Num, None]]
    images: NotRequired[Union[Num, None]]
    audio_hours: NotRequired[Union[Num, None]]
    steps: NotRequired[Union[Num, None]]
    height: NotRequired[Union[Num, None]]
    width: NotRequired[Union[Num, None]]
    frames: NotRequired[Union[Num, None]]
    concurrency: NotRequired[Union[Num, None]]
    request_rate: NotRequired[Union[Num, None]]
    requests: NotRequired[Union[Num, None]]
    max_ttft: NotRequired[Union[Num, None]]
    max_tpot: NotRequired[Union[Num, None]]
    prefix_cache: NotRequired[Union[Num, None]]
    images_per_request: NotRequired[Union[Num, None]]
    image_tokens: NotRequired[Union[Num, None]]
    speculative: NotRequired[Union[str, None]]
    length_spread: NotRequired[Union[Num, None]]
    admission_interval: NotRequired[Union[Num, None]]
    disaggregated: NotRequired[Union[bool, None]]
    engine_version: NotRequired[Union[str, None]]
    calibrate: NotRequired[Union[str, None]]
    engine: NotRequired[Literal["none", "transformers", "vllm", "sglang", "llama.cpp", "tensorrt-llm", "deepspeed", "torchtitan", "torchtune", "litgpt", "ms-swift", "unsloth", "axolotl"]]
    gpu_memory_utilization: NotRequired[Union[Num, None]]
    max_batched_tokens: NotRequired[Union[Num, None]]
    max_num_seqs: NotRequired[Union[Num, None]]
    sampling: NotRequired[Union[Literal["greedy", "top-p", "penalties"], None]]
    attention: NotRequired[Literal["flash", "sdpa", "eager"]]
    logits: NotRequired[Literal["last", "all", "chunked", "none"]]
    gpu_layers: NotRequired[Union[int, None]]
    n_cpu_moe: NotRequired[Union[int, None]]
    host_bandwidth: NotRequired[Union[Num, None]]
    compile: NotRequired[Union[bool, None]]
    optimizer: NotRequired[Union[Literal["adamw", "adamw-8bit", "adafactor", "muon", "sgd"], None]]
    optimizer_in_backward: NotRequired[Union[bool, None]]
    master_weights: NotRequired[Union[Literal["fp32", "none"], None]]
    parameter_precision: NotRequired[Union[Literal["bf16", "fp32"], None]]
    gradient_precision: NotRequired[Union[Literal["bf16", "fp32"], None]]
    checkpointing: NotRequired[Union[Literal["none", "selective", "full"], None]]
    lora_rank: NotRequired[Union[Num, None]]
    lora_targets: NotRequired[Union[Literal["qv", "attention", "all-linear"], None]]
    offload: NotRequired[Union[Literal["none", "optimizer", "all"], None]]
    gradient_accumulation: NotRequired[Union[Num, None]]
    global_batch: NotRequired[Union[Num, None]]
    virtual_pipeline: NotRequired[Union[Num, None]]
    packed: NotRequired[Union[Num, None]]
    modules_to_save: NotRequired[Union[list[str], None]]
    rollouts: NotRequired[Union[Num, None]]
    off_policy_steps: NotRequired[Union[Num, None]]
    reference_model: NotRequired[Union[str, None]]
    teacher_model: NotRequired[Union[str, None]]
    tensor_parallel: NotRequired[Union[int, None]]
    pipeline_parallel: NotRequired[Union[int, None]]
    data_parallel: NotRequired[Union[int, None]]
    context_parallel: NotRequired[Union[int, None]]
    expert_parallel: NotRequired[Union[int, None]]
    zero_stage: NotRequired[Union[int, None]]
    shard_groups: NotRequired[Union[int, None]]
    kind_of_work: NotRequired[Union[str, None]]
    objective: NotRequired[Union[Literal["cost", "speed", "latency", "memory"], None]]
    basis: NotRequired[Union[Literal["hour", "million-tokens", "job"], None]]
    limits: NotRequired[Union[ServiceLimitsOut, None]]
    on: NotRequired[Union[str, None]]
    tier: NotRequired[Union[Literal["list", "any"], None]]
    accept_tight: NotRequired[Union[bool, None]]
    tokens: NotRequired[Union[Num, None]]
    deadline_hours: NotRequired[Union[Num, None]]
    budget_usd: NotRequired[Union[Num, None]]
    compare: NotRequired[Union[Literal["api"], None]]
    own: NotRequired[Union[str, None]]
    use: NotRequired[Union[BillUse, None]]
    providers: list[str]
    regions: list[str]
    capacity_type: NotRequired[Literal["unspecified", "on-demand", "spot", "any"]]
    price_tier: NotRequired[Union[str, None]]
    max_price: NotRequired[Union[Num, None]]
    limit: NotRequired[Union[int, None]]
    max_age_s: NotRequired[Union[int, None]]
    price: NotRequired[Literal["likely", "stated"]]
    min_vcpu: NotRequired[Union[Num, None]]
    min_host_memory_gib: NotRequired[Union[Num, None]]
    interconnect: NotRequired[Union[Literal["efa", "infiniband", "nvlink", "any"], None]]
    available: NotRequired[bool]
    hours: NotRequired[Union[Num, None]]
    currency: NotRequired[Union[str, None]]
    commit: NotRequired[Union[str, None]]
    upfront: NotRequired[Union[Literal["none", "partial", "all"], None]]


class RecommendOut(TypedDict):
    """A recommended machine."""

    rank: int
    spec: str
    offer: OfferOut
    precision: NotRequired[Union[str, None]]
    kv_precision: NotRequired[Union[Literal["bf16", "fp8", "int8", "q8_0", "q4_0"], None]]
    max_num_seqs: NotRequired[Union[Num, None]]
    max_batched_tokens: NotRequired[Union[Num, None]]
    gpu_memory_utilization: NotRequired[Union[Num, None]]
    checkpoint: NotRequired[Union[str, None]]
    quality_losses: NotRequired[list[QualityLossOut]]
    nodes: NotRequired[Union[int, None]]
    interconnect: NotRequired[Union[InterconnectOut, None]]
    tier: NotRequired[Union[Literal["list", "marketplace", "consumer", "weak"], None]]
    usd_per_hour: Union[Num, None]
    ranking_cost: NotRequired[Union[Num, None]]
    low: NotRequired[Union[Num, None]]
    high: NotRequired[Union[Num, None]]
    usd_per_million_tokens: NotRequired[Union[Num, None]]
    usd_per_item: NotRequired[Union[Num, None]]
    seconds_per_item: NotRequired[Union[Num, None]]
    tokens_per_s: NotRequired[Union[Num, None]]
    tokens_per_s_per_user: NotRequired[Union[Num, None]]
    ttft_s: NotRequired[Union[Num, None]]
    max_users: NotRequired[Union[Num, None]]
    hours: NotRequired[Union[Num, None]]
    billed_hours: NotRequired[Union[Num, None]]
    usd_total: NotRequired[Union[Num, None]]
    pareto: NotRequired[Union[bool, None]]
    fit: NotRequired[Union[FitOut, None]]
    why: list[str]
    bill: NotRequired[Union[BillOut, None]]


class RegionPriceOut(TypedDict):
    """The price of an offer in one region."""

    region: NotRequired[Union[str, None]]
    usd_per_hour: Num
    likely_usd_per_hour: Num


class RejectedOut(TypedDict):
    """An offer that is not a candidate."""

    spec: str
    provider: str
    instance_type: str
    count: NotRequired[Union[Num, None]]
    capacity_type: NotRequired[Union[Literal["on-demand", "spot"], None]]
    region: NotRequired[Union[str, None]]
    reason: Literal["name", "memory-mismatch", "count", "region", "market", "over-budget", "cuda-floor", "no-mig", "no-interconnect", "small-host", "stale", "out-of-stock", "blocked", "not-offered"]
    detail: str


class RelaxOut(TypedDict):
    """A limit to relax."""

    wish: Literal["max-ttft", "min-speed", "request-rate", "users", "max-price", "deadline", "budget", "region", "provider", "on", "nodes", "max-age", "engine", "precision"]
    asked: NotRequired[Union[Num, None]]
    value: NotRequired[Union[Num, None]]
    spec: str
    nodes: NotRequired[Union[int, None]]
    provider: str
    instance_type: str
    usd_per_hour: Num
    low: Num
    high: Num
    message: str


class RemedyOut(TypedDict):
    """A change with which a model fits, with all other settings unchanged."""

    change: Literal["precision", "kv-precision", "context", "gpu-memory-utilization", "max-num-seqs", "memory-settings", "devices", "nodes", "host-memory", "gpu-layers", "n-cpu-moe", "offload", "workload", "engine"]
    flags: str
    high_gib: Num
    usable_gib: Num
    host_gib: NotRequired[Union[Num, None]]
    tokens_per_s: NotRequired[Union[Num, None]]
    message: str


class RenderOut(TypedDict):
    """A plan in the format of a plan target."""

    target: str
    files: list[FileOut]
    lossy: list[LossOut]
    placeholders: list[PlaceholderOut]


class ReportAnswer(TypedDict):
    """The JSON document of an answer: the request, the results, and where they come from."""

    schema: Literal["sky-accel.report.v1"]
    catalog: CatalogInfo
    live: NotRequired[list[AnswerOut]]
    request: ReportRequest
    results: list[ReportOut]
    left_off: NotRequired[Union[int, None]]
    funnel: NotRequired[list[FunnelOut]]
    nearest: NotRequired[list[NearestOut]]
    explain: NotRequired[Union[list[ExplainOut], None]]
    notes: list[NoteOut]


class ReportOut(TypedDict):
    """Result: the written page."""

    file: str
    bytes: int
    recommendation: str


class ReportRequest(TypedDict):
    """Normalized request; the page has the rest."""

    file: str


class ResolveAnswer(TypedDict):
    """The JSON document of an answer: the request, the results, and where they come from."""

    schema: Literal["sky-accel.resolve.v1"]
    catalog: CatalogInfo
    live: NotRequired[list[AnswerOut]]
    request: ResolveEcho
    results: list[OfferOut]
    left_off: NotRequired[Union[int, None]]
    funnel: NotRequired[list[FunnelOut]]
    nearest: NotRequired[list[NearestOut]]
    explain: NotRequired[Union[list[ExplainOut], None]]
    notes: list[NoteOut]


class ResolveEcho(TypedDict):
    """The request of `resolve` as it was understood."""

    specs: list[str]
    providers: list[str]
    regions: list[str]
    capacity_type: NotRequired[Literal["unspecified", "on-demand", "spot", "any"]]
    price_tier: NotRequired[Union[str, None]]
    max_price: NotRequired[Union[Num, None]]
    limit: NotRequired[Union[int, None]]
    max_age_s: NotRequired[Union[int, None]]
    price: NotRequired[Literal["likely", "stated"]]
    min_vcpu: NotRequired[Union[Num, None]]
    min_host_memory_gib: NotRequired[Union[Num, None]]
    interconnect: NotRequired[Union[Literal["efa", "infiniband", "nvlink", "any"], None]]
    available: NotRequired[bool]
    hours: NotRequired[Union[Num, None]]
    currency: NotRequired[Union[str, None]]
    commit: NotRequired[Union[str, None]]
    upfront: NotRequired[Union[Literal["none", "partial", "all"], None]]
    at_least: bool
    sort: Literal["price", "price-per-gpu", "price-per-gb", "price-per-tflop", "obtainability"]
    live: bool
    disk_gb: NotRequired[Union[int, None]]
    group_by: NotRequired[Union[Literal["accelerator", "provider", "region", "count"], None]]


class RiskOut(TypedDict):
    """The interruption rate of spot machines. Rates of different kinds cannot be compared."""

    rate: str
    highest: NotRequired[Union[str, None]]
    kind: Literal["aws-interrupted-of-running", "gcp-preempted-of-stopped", "azure-evicted"]
    window_days: int


class SavingOut(TypedDict):
    """The saving of a strategy, computed from the catalog's prices."""

    low_percent: Num
    median_percent: Num
    high_percent: Num
    samples: int
    basis: str
    within_claim: bool


class SellerOut(TypedDict):
    """A provider that sells an accelerator."""

    id: str
    name: str
    billing: Union[str, None]
    docs: Union[str, None]


class ServiceLimitsOut(TypedDict):
    """Service limits."""

    max_ttft_s: NotRequired[Union[Num, None]]
    min_speed: NotRequired[Union[Num, None]]
    spare: Num


class SharingOut(TypedDict):
    """A way other than MIG to share an accelerator, or to join it with others."""

    kind: Literal["partition-mode", "vgpu", "pod-slice", "logical-cores"]
    name: str
    devices: NotRequired[Union[Num, None]]
    accelerators_needed: NotRequired[Union[Num, None]]
    topology: NotRequired[Union[str, None]]
    cores: NotRequired[Union[Num, None]]
    memory_gb: NotRequired[Union[Num, None]]
    memory_mib: NotRequired[Union[Num, None]]
    set_by: Union[str, None]
    note: Union[str, None]
    source: str
    as_of: str


class ShowAnswer(TypedDict):
    """The JSON document of an answer: the request, the results, and where they come from."""

    schema: Literal["sky-accel.show.v1"]
    catalog: CatalogInfo
    live: NotRequired[list[AnswerOut]]
    request: NamesRequest
    results: list[ShownOut]
    left_off: NotRequired[Union[int, None]]
    funnel: NotRequired[list[FunnelOut]]
    nearest: NotRequired[list[NearestOut]]
    explain: NotRequired[Union[list[ExplainOut], None]]
    notes: list[NoteOut]


# Everything that the catalog has on an accelerator.
ShowOut = TypedDict(
    "ShowOut",
    {
        "id": "str",
        "family": "str",
        "vendor": "str",
        "line": "NotRequired[Union[str, None]]",
        "architecture": "Union[str, None]",
        "class": 'Literal["datacenter", "workstation", "consumer", "asic", "media"]',
        "form_factor": "str",
        "memory_gb": "Union[Num, None]",
        "memory_mib": "Union[Num, None]",
        "memory_type": "Union[str, None]",
        "memory_bandwidth_gb_s": "Union[Num, None]",
        "fp64_tflops": "Union[Num, None]",
        "fp32_tflops": "Union[Num, None]",
        "tf32_tflops": "Union[Num, None]",
        "fp16_tflops": "Union[Num, None]",
        "bf16_tflops": "Union[Num, None]",
        "fp8_tflops": "Union[Num, None]",
        "fp4_tflops": "Union[Num, None]",
        "int8_tops": "Union[Num, None]",
        "tdp_w": "Union[Num, None]",
        "compute_capability": "NotRequired[Union[str, None]]",
        "cuda_min": "NotRequired[Union[str, None]]",
        "cuda_last": "NotRequired[Union[str, None]]",
        "rocm_gfx": "NotRequired[Union[str, None]]",
        "interconnect": "NotRequired[Union[str, None]]",
        "interconnect_gb_s": "NotRequired[Union[Num, None]]",
        "mig": "Union[bool, None]",
        "release_year": "Union[Num, None]",
        "sdk": "Union[str, None]",
        "max_per_node": "NotRequired[Union[Num, None]]",
        "note": "NotRequired[Union[str, None]]",
        "providers": "list[str]",
        "aliases": "list[str]",
        "sources": "list[str]",
        "instance_types": "NotRequired[list[OfferOut]]",
        "names": "dict[str, list[str]]",
        "disputed": "list[DisputedOut]",
        "mig_profiles": "NotRequired[list[ProfileOut]]",
        "mig_driver_min": "NotRequired[Union[str, None]]",
        "sharing": "NotRequired[list[SharingOut]]",
        "pcie_gen": "NotRequired[Union[Num, None]]",
        "offers": "list[OfferOut]",
        "sellers": "list[SellerOut]",
        "price_range": "Union[PriceRangeOut, None]",
        "price_summary": "NotRequired[Union[str, None]]",
        "markets": "NotRequired[list[MarketOut]]",
    },
)

ShownOut: TypeAlias = "Union[ShowOut, ProviderOut]"


class SliceOut(TypedDict):
    """A MIG instance on a device."""

    profile: Union[str, None]
    memory_mib: Union[Num, None]


class SoldCommitmentOut(TypedDict):
    """A kind of commitment that a provider sells."""

    program: str
    name: str
    terms: list[str]


class SpeedBandOut(TypedDict):
    """One end of a band of speeds and times, in the units of the fields with the same names."""

    output_tokens_per_s: NotRequired[Union[Num, None]]
    tpot_ms: NotRequired[Union[Num, None]]
    ttft_s: NotRequired[Union[Num, None]]
    train_tokens_per_s_per_device: NotRequired[Union[Num, None]]
    seconds_per_item: NotRequired[Union[Num, None]]


class SpeedOut(TypedDict):
    """The computed speed, and the hardware that limits it."""

    prefill_tokens_per_s: NotRequired[Union[Num, None]]
    decode_tokens_per_s: NotRequired[Union[Num, None]]
    output_tokens_per_s: NotRequired[Union[Num, None]]
    time_to_first_token_s: NotRequired[Union[Num, None]]
    train_tokens_per_s_per_device: NotRequired[Union[Num, None]]
    seconds_per_batch: NotRequired[Union[Num, None]]
    rtfx: NotRequired[Union[Num, None]]
    bound: Union[Literal["memory", "compute", "network", "launch", "host"], None]
    mfu: Union[Num, None]
    serves: NotRequired[bool]
    concurrency: NotRequired[Num]
    ttft_s: NotRequired[Num]
    tpot_ms: NotRequired[Union[Num, None]]
    requests_per_s: NotRequired[Num]
    utilization: NotRequired[Union[Num, None]]
    total_tokens_per_s: NotRequired[Num]
    tokens_per_s_per_user: NotRequired[Union[Num, None]]
    max_concurrency: NotRequired[Num]
    goodput_per_s: NotRequired[Num]
    duration_s: NotRequired[Union[Num, None]]
    prefill_replicas: NotRequired[Union[Num, None]]
    low: SpeedBandOut
    high: SpeedBandOut


class SpotScoreOut(TypedDict):
    """The likelihood that a provider can fulfill a spot request in a region, as the provider states it. The score is for a set of instance types, and says nothing about a single type or another number of machines."""

    region: str
    score: int
    instance_types: list[str]
    machines: int


class SpreadOut(TypedDict):
    """The lowest prices of several providers."""

    sources: int
    low_usd_per_accelerator_hour: Num
    p25_usd_per_accelerator_hour: Num
    median_usd_per_accelerator_hour: Num
    p75_usd_per_accelerator_hour: Num
    high_usd_per_accelerator_hour: Num


class StepOut(TypedDict):
    """One step of a plan's execution."""

    id: Literal["provision", "partition", "schedule"]
    after: NotRequired[Union[Literal["provision", "partition", "schedule"], None]]
    what: str
    targets: list[str]
    commands: NotRequired[list[str]]
    files: NotRequired[list[str]]


class StockCountOut(TypedDict):
    """A number in stock."""

    value: int
    qualifier: Literal["exact", "at-least", "at-most", "capped-by-request", "capped-by-quota"]
    unit: Literal["machines", "accelerators"]


class StockPlaceOut(TypedDict):
    """A place that a provider distinguishes. Machines of one cluster cannot span two sites."""

    region: Union[str, None]
    zone: NotRequired[Union[str, None]]
    site: NotRequired[Union[str, None]]


class TotalsOut(TypedDict):
    """The costs of all machines with the cheapest and with the most expensive candidate, at the prices that rank them."""

    usd_per_hour_min: Union[Num, None]
    usd_per_hour_max: Union[Num, None]
    usd_total_min: NotRequired[Union[Num, None]]
    usd_total_max: NotRequired[Union[Num, None]]


class UnplacedOut(TypedDict):
    """Unplaced slices of one profile."""

    profile: str
    count: int


# The outcome of an update for one provider.
UpdateOut = TypedDict(
    "UpdateOut",
    {
        "provider": "str",
        "from": 'Literal["providers", "gpuhunt", "skypilot", "litellm", "genai-prices", "published"]',
        "status": 'Literal["updated", "partial", "failed", "not-asked", "no-live-source"]',
        "path": "NotRequired[Union[str, None]]",
        "types": "int",
        "prices": "int",
        "kept": "int",
        "superseded": "NotRequired[Union[int, None]]",
        "errors": "list[NoteOut]",
        "changes": "list[DifferenceOut]",
    },
)

# The request of an update as it was understood.
UpdateRequest = TypedDict(
    "UpdateRequest",
    {
        "providers": "list[str]",
        "into": "str",
        "from": 'list[Literal["providers", "gpuhunt", "skypilot", "litellm", "genai-prices", "published"]]',
        "published": "NotRequired[Union[str, None]]",
        "dry_run": "bool",
    },
)


class VariableOut(TypedDict):
    """A shell variable."""

    name: str
    meaning: str


class VerifyOut(TypedDict):
    """The sizes of a valid catalog."""

    valid: bool
    accelerators: int
    names: int
    providers: int
    offers: int
    models: int
    prices: int
    left_out: NotRequired[list[str]]
    providers_without_link: NotRequired[list[str]]
    overrides: list[str]
    warnings: NotRequired[list[WarningOut]]


class WarningOut(TypedDict):
    """A sign of wrong or missing data, which is not an error."""

    kind: str
    provider: str
    message: str


class WasteOut(TypedDict):
    """The unused part of the GPUs in use."""

    compute_slices: int
    compute_percent: Num
    memory_slices: Union[int, None]
    memory_percent: Union[Num, None]


class WebAnswer(TypedDict):
    """The JSON document of an answer: the request, the results, and where they come from."""

    schema: Literal["sky-accel.web.v1"]
    catalog: CatalogInfo
    live: NotRequired[list[AnswerOut]]
    request: WebRequest
    results: list[WebOut]
    left_off: NotRequired[Union[int, None]]
    funnel: NotRequired[list[FunnelOut]]
    nearest: NotRequired[list[NearestOut]]
    explain: NotRequired[Union[list[ExplainOut], None]]
    notes: list[NoteOut]


class WebOut(TypedDict):
    """Result: the written page."""

    file: str
    bytes: int


class WebRequest(TypedDict):
    """Normalized request; the page has the rest."""

    file: str


class WindowOut(TypedDict):
    """A period in which machines can be reserved."""

    starts_at: str
    ends_at: NotRequired[Union[str, None]]
    machines: NotRequired[Union[int, None]]
    usd_per_hour: NotRequired[Union[Num, None]]
