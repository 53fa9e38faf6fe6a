//! Bills with their computation on paper in comments.

use std::sync::LazyLock;

use sky_accel_catalog::{Layer, Source, Tables, compile};
use sky_accel_core::bill::{
    AfterTerm, Amount, Bill, CommittedTerm, Download, HostCost, LineItem, MONTH_S, Nano,
    OmissionReason, Quantity, Rented, Usage, bill,
};
use sky_accel_core::catalog::{Catalog, ChargeRule, RegionId};
use sky_accel_core::money::Usd;

static BILLS: LazyLock<Tables> = LazyLock::new(|| {
    let text = include_str!("bill.toml");
    compile(&[Source::toml(Layer::EMBEDDED, "bill.toml", text)]).unwrap_or_else(|errors| {
        let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
        panic!("{}", errors.join("\n"))
    })
});

const HOUR: u64 = 3600;
const GB: u64 = 1_000_000_000;

/// One session of an hour with nothing else.
const HOUR_ALONE: Usage = Usage {
    sessions: 1,
    session_s: HOUR,
    includes_start: false,
    idle_s: 0,
    start_s: Some(0),
    period_s: 0,
    storage_bytes: 0,
    egress_bytes: 0,
    ingress_bytes: 0,
    download: None,
    ipv4: 0,
};

fn rented(catalog: &Catalog<'_>, provider: &str) -> Rented {
    let mut offers = catalog.offers.iter();
    let offer = offers.find(|offer| catalog.provider_id(offer.provider) == provider);
    let offer = offer.unwrap();
    let price = catalog.prices(&offer).at(0);
    Rented {
        offer,
        region: None,
        usd_per_hour: price.usd,
        host: None,
        machines: 1,
        term: None,
    }
}

fn billed(provider: &str, usage: Usage) -> Bill {
    let catalog = BILLS.catalog();
    bill(&catalog, &rented(&catalog, provider), &usage)
}

/// Returns the total in millionths of a dollar, and the items that it lacks.
fn sum(bill: &Bill) -> (u64, Vec<LineItem>) {
    let missing = bill.missing().map(|line| line.item).collect();
    (bill.total.rounded().0, missing)
}

fn amount(bill: &Bill, item: LineItem) -> Option<u64> {
    let line = bill.lines.iter().find(|line| line.item == item)?;
    line.amount.known().map(|nano| nano.rounded().0)
}

#[test]
fn aws_keeps_the_disk_for_the_month() {
    // 100 h × 55.04 = 5504; 200 GB × 0.08 = 16; 50 of 100 free GB; 100 h × 0.005 = 0.50.
    let bill = billed(
        "aws",
        Usage {
            session_s: 100 * HOUR,
            period_s: MONTH_S,
            storage_bytes: 200 * GB,
            egress_bytes: 50 * GB,
            ipv4: 1,
            ..HOUR_ALONE
        },
    );
    assert_eq!(sum(&bill), (5_520_500_000, vec![]));
    // The disk while running: 16 × 100 / 730.
    assert_eq!(amount(&bill, LineItem::Disk), Some(2_191_781));
    assert_eq!(amount(&bill, LineItem::StoppedDisk), Some(13_808_219));
    assert!(bill.traps.is_empty());
}

#[test]
fn egress_has_tiers_after_the_free_amount() {
    // 11,900 GB are paid: 10,240 × 0.09 = 921.60 and 1,660 × 0.085 = 141.10; the hour is 55.04.
    let bill = billed(
        "aws",
        Usage {
            egress_bytes: 12_000 * GB,
            ..HOUR_ALONE
        },
    );
    assert_eq!(sum(&bill), (1_117_740_000, vec![]));
    // Over two months, 6,000 GB each: 2 × 5,900 × 0.09 = 1062; the hour is 55.04.
    let two_months = billed(
        "aws",
        Usage {
            egress_bytes: 12_000 * GB,
            period_s: 2 * MONTH_S,
            ..HOUR_ALONE
        },
    );
    assert_eq!(sum(&two_months), (1_117_040_000, vec![]));
    // A started month has no separate free amount.
    let started = billed(
        "aws",
        Usage {
            egress_bytes: 12_000 * GB,
            period_s: MONTH_S + 3600,
            ..HOUR_ALONE
        },
    );
    assert_eq!(sum(&started), sum(&bill));
    // 1,024 × 0.12 = 122.88 and 976 × 0.11 = 107.36; 10 h × 10 = 100; 10 h × 0.005 = 0.05.
    let gcp = billed(
        "gcp",
        Usage {
            session_s: 10 * HOUR,
            egress_bytes: 2000 * GB,
            ipv4: 1,
            ..HOUR_ALONE
        },
    );
    assert_eq!(sum(&gcp), (330_290_000, vec![]));
}

#[test]
fn oci_bills_machines_that_are_off() {
    // 20 × 3 h × 4 = 240; 9,760 GB × 0.0085 = 82.96.
    let bill = billed(
        "oci",
        Usage {
            sessions: 20,
            session_s: 3 * HOUR,
            period_s: MONTH_S,
            egress_bytes: 20_000 * GB,
            ..HOUR_ALONE
        },
    );
    assert_eq!(sum(&bill), (322_960_000, vec![]));
    assert!(!bill.spans.stops);
    // 670 h × 4 = 2680.
    let [trap] = &bill.traps[..] else {
        panic!("{:?}", bill.traps);
    };
    assert_eq!(trap.charge.rule, ChargeRule::Billed);
    assert_eq!(trap.adds.unwrap().rounded(), Usd(2_680_000_000));
}

#[test]
fn runpod_doubles_the_price_of_a_stopped_disk() {
    // 60 h × 2.69 = 161.40; 200 GB × 0.10 × 60/730 = 1.643836; 200 GB × 0.20 × 670/730 = 36.712329.
    let bill = billed(
        "runpod",
        Usage {
            sessions: 20,
            session_s: 3 * HOUR,
            period_s: MONTH_S,
            storage_bytes: 200 * GB,
            egress_bytes: 50 * GB,
            ..HOUR_ALONE
        },
    );
    assert_eq!(sum(&bill), (199_756_164, vec![]));
    assert_eq!(amount(&bill, LineItem::StoppedDisk), Some(36_712_329));
    assert_eq!(bill.traps.len(), 1);
    // Without a disk, the trap does not apply.
    let bill = billed(
        "runpod",
        Usage {
            period_s: MONTH_S,
            ..HOUR_ALONE
        },
    );
    assert!(bill.traps.is_empty());
}

#[test]
fn lambda_bills_minutes_and_not_the_start() {
    // 10 × 100 s are 10 × 120 s: 1200/3600 × 3.29 = 1.096667; 100 GiB × 0.20 = 20.
    let bill = billed(
        "lambda",
        Usage {
            sessions: 10,
            session_s: 100,
            start_s: None,
            period_s: MONTH_S,
            storage_bytes: 100 << 30,
            ..HOUR_ALONE
        },
    );
    assert_eq!(sum(&bill), (21_096_667, vec![]));
    assert_eq!(amount(&bill, LineItem::Rounding), Some(182_778));
    // The disk is kept while the machine starts too: (1000 + 10 × 240) s.
    assert_eq!(bill.spans.on_s, 3400);
    assert_eq!(bill.traps[0].charge.rule, ChargeRule::NoStop);
}

#[test]
fn vultr_bills_started_hours_and_has_an_allowance() {
    // 2 × 90 min are 2 × 2 h: 4 × 2 = 8; 50 GB × 0.10 = 5. The 100 GB cost at most 1.
    let bill = billed(
        "vultr",
        Usage {
            sessions: 2,
            session_s: HOUR * 3 / 2,
            period_s: MONTH_S,
            storage_bytes: 50 * GB,
            egress_bytes: 100 * GB,
            ..HOUR_ALONE
        },
    );
    assert_eq!(sum(&bill), (13_000_000, vec![LineItem::Egress]));
    let egress = bill.missing().next().unwrap();
    assert_eq!(
        egress.amount,
        Amount::LeftOut {
            why: OmissionReason::Allowance,
            at_most: Some(Nano(1_000_000_000))
        }
    );
    // 730 h less the 4 h that are billed: 726 × 2 = 1452.
    assert_eq!(bill.traps[0].adds.unwrap().rounded(), Usd(1_452_000_000));
}

#[test]
fn hyperstack_for_a_whole_month() {
    // 730 × 1.9 = 1387; 200 GB × 0.0706 = 14.12; 730 × 0.00672 = 4.9056.
    let bill = billed(
        "hyperstack",
        Usage {
            session_s: MONTH_S,
            period_s: MONTH_S,
            storage_bytes: 200 * GB,
            egress_bytes: 50 * GB,
            ipv4: 1,
            ..HOUR_ALONE
        },
    );
    assert_eq!(sum(&bill), (1_406_025_600, vec![]));
    assert!(bill.traps.is_empty());
}

#[test]
fn euros_are_converted_and_never_added() {
    // 11 started hours × 2 = 22; 100 GB × 0.044 × 10.5/730 = 0.063288 EUR = 0.069616; 10.5 × 0.00068 = 0.00714 EUR =
    // 0.007854. The catalog has no rate of the pound.
    let bill = billed(
        "hetzner",
        Usage {
            session_s: HOUR * 21 / 2,
            storage_bytes: 100 * GB,
            egress_bytes: GB,
            ipv4: 1,
            ..HOUR_ALONE
        },
    );
    assert_eq!(sum(&bill), (22_077_470, vec![LineItem::Egress]));
    assert_eq!(amount(&bill, LineItem::Disk), Some(69_616));
    let Amount::LeftOut { why, .. } = bill.missing().next().unwrap().amount else {
        panic!("{bill:?}");
    };
    assert_eq!(why, OmissionReason::NoRate);
}

#[test]
fn rentals_have_a_minimum() {
    // Each of 2 sessions is a rental of 8 h: 16 × 3 = 48.
    let sessions = Usage {
        sessions: 2,
        period_s: MONTH_S,
        ..HOUR_ALONE
    };
    let bill = billed("hotaisle", sessions);
    assert_eq!(sum(&bill), (48_000_000, vec![]));
    assert_eq!(amount(&bill, LineItem::MinimumRental), Some(42_000_000));
    // A month at least, in which both sessions are: 730 × 1.
    let bill = billed("cirrascale", sessions);
    assert_eq!(sum(&bill), (730_000_000, vec![]));
}

#[test]
fn a_checkpoint_is_downloaded_once_if_a_disk_is_kept() {
    // 140 GB at 125 MB/s take 1120 s: 3 × (3600 + 1120) s × 10 = 39.333333. The first payment is a credit.
    let download = Some(Download {
        bytes: 140 * GB,
        bytes_per_s: 125_000_000,
    });
    let usage = Usage {
        sessions: 3,
        download,
        period_s: MONTH_S,
        ..HOUR_ALONE
    };
    let bill = billed("nebius", usage);
    assert_eq!(sum(&bill), (39_333_333, vec![LineItem::Processors]));
    let traffic = Quantity::Traffic {
        bytes: 420 * GB,
        months: 1,
    };
    assert!(bill.lines.iter().any(|line| line.quantity == traffic));
    // One download: (3 × 3600 + 1120) s × 10 = 33.111111; 200 GiB × 0.053 = 10.60.
    let bill = billed(
        "nebius",
        Usage {
            storage_bytes: 200 << 30,
            ..usage
        },
    );
    assert_eq!(sum(&bill), (43_711_111, vec![LineItem::Processors]));
}

#[test]
fn lines_without_a_price_are_left_out() {
    // The hour is 1. Hosts set the other prices, and the catalog has none for the start and the address.
    let bill = billed(
        "vastai",
        Usage {
            start_s: None,
            storage_bytes: GB,
            egress_bytes: GB,
            ipv4: 1,
            ..HOUR_ALONE
        },
    );
    let missing = vec![
        LineItem::Start,
        LineItem::Disk,
        LineItem::Egress,
        LineItem::Ipv4,
    ];
    assert_eq!(sum(&bill), (1_000_000, missing));
}

#[test]
fn several_machines_share_disk_and_traffic() {
    // 2 × 60 × 1.9 = 228; 2 addresses × 60 × 0.00672 = 0.8064; idle 2 × 0.5 h × 1.9 = 1.9 for one session.
    let catalog = BILLS.catalog();
    let two = Rented {
        machines: 2,
        ..rented(&catalog, "hyperstack")
    };
    let usage = Usage {
        session_s: 60 * HOUR,
        idle_s: HOUR / 2,
        ipv4: 1,
        egress_bytes: GB,
        ..HOUR_ALONE
    };
    let bill = bill(&catalog, &two, &usage);
    // The addresses are kept while idle: 2 × 60.5 × 0.00672 = 0.81312.
    assert_eq!(bill.total.rounded(), Usd(230_713_120));
}

#[test]
fn a_machine_that_always_runs_starts_within_the_period() {
    // 730 h × 3.29 = 2401.70, of which 240 s are a start that is not billed: 2401.480667. 100 GiB × 0.20 = 20.
    let month = Usage {
        session_s: MONTH_S,
        includes_start: true,
        start_s: None,
        period_s: MONTH_S,
        storage_bytes: 100 << 30,
        ..HOUR_ALONE
    };
    let bill = billed("lambda", month);
    assert_eq!(sum(&bill), (2_421_480_667, vec![]));
    assert_eq!((bill.spans.on_s, bill.spans.off_s), (MONTH_S, 0));
    // A start that is billed changes nothing: 730 × 1.9.
    let start = Usage {
        start_s: Some(300),
        storage_bytes: 0,
        ..month
    };
    assert_eq!(sum(&billed("hyperstack", start)), (1_387_000_000, vec![]));
}

#[test]
fn charges_of_a_region_are_used_there() {
    // 100 GB × 0.10 and 10 × 0.12 + 90 × 0.08; in the west 100 GB × 0.11 and 10 × 0.12 + 90 × 0.085.
    let catalog = BILLS.catalog();
    let usage = Usage {
        session_s: MONTH_S,
        period_s: MONTH_S,
        storage_bytes: 100 * GB,
        egress_bytes: 100 * GB,
        ..HOUR_ALONE
    };
    let regions = catalog.regions.iter().enumerate();
    let west = regions
        .filter(|(_, row)| catalog.str(row.id) == "west")
        .map(|(at, _)| RegionId::of_index(at))
        .next();
    assert!(west.is_some());
    for (region, disk, egress) in [(None, 10_000_000, 8_400_000), (west, 11_000_000, 8_850_000)] {
        let machine = Rented {
            region,
            ..rented(&catalog, "regional")
        };
        let bill = bill(&catalog, &machine, &usage);
        assert_eq!(amount(&bill, LineItem::Disk), Some(disk));
        assert_eq!(amount(&bill, LineItem::Egress), Some(egress));
    }
}

#[test]
fn addresses_of_stopped_machines_are_billed_where_the_provider_says_so() {
    let usage = Usage {
        period_s: MONTH_S,
        ipv4: 1,
        ..HOUR_ALONE
    };
    // 730 h × 0.005 = 3.65, and 1 h × 0.005.
    let address = |provider| amount(&billed(provider, usage), LineItem::Ipv4);
    assert_eq!(address("gcp"), Some(3_650_000));
    assert_eq!(address("aws"), Some(5_000));
}

#[test]
fn a_commitment_ends_with_its_term() {
    let catalog = BILLS.catalog();
    let committed = |after| Rented {
        usd_per_hour: Usd(10_000_000),
        term: Some(CommittedTerm {
            seconds: 24 * HOUR,
            after,
        }),
        ..rented(&catalog, "aws")
    };
    let usage = Usage {
        session_s: 100 * HOUR,
        period_s: MONTH_S,
        storage_bytes: 100 * GB,
        ..HOUR_ALONE
    };
    // The provider ends the machine: 24 × 10, and the disk for the month 100 × 0.08.
    let ended = bill(&catalog, &committed(AfterTerm::Ended), &usage);
    assert_eq!(amount(&ended, LineItem::Machine), Some(240_000_000));
    assert_eq!(sum(&ended), (248_000_000, vec![]));
    assert!(ended.traps.is_empty());
    // The machine goes on: 24 × 10 + 76 × 20.
    let after = AfterTerm::OnDemand(Some(Usd(20_000_000)));
    let went_on = bill(&catalog, &committed(after), &usage);
    assert_eq!(amount(&went_on, LineItem::Machine), Some(1_760_000_000));
}

#[test]
fn attached_accelerators_have_a_host() {
    // 100 h × 1, and 100 h × 0.19 for the host.
    let catalog = BILLS.catalog();
    let usage = Usage {
        session_s: 100 * HOUR,
        ..HOUR_ALONE
    };
    let attached = |usd| Rented {
        host: Some(HostCost(usd)),
        usd_per_hour: Usd(1_000_000),
        ..rented(&catalog, "aws")
    };
    let known = bill(&catalog, &attached(Some(Usd(190_000))), &usage);
    assert_eq!(sum(&known), (119_000_000, vec![]));
    let unknown = bill(&catalog, &attached(None), &usage);
    assert_eq!(sum(&unknown), (100_000_000, vec![LineItem::Host]));
}

#[test]
fn each_machine_has_fees_and_free_addresses() {
    // Without a billing unit, half an hour may be billed as an hour. 2 × 0.5 h × 1; a set-up of 50 EUR × 1.10, once,
    // because the machine is stopped; 2 of 3 addresses for an hour × 0.005.
    let usage = Usage {
        sessions: 2,
        session_s: HOUR / 2,
        period_s: MONTH_S,
        ipv4: 3,
        ..HOUR_ALONE
    };
    let found = billed("fees", usage);
    assert_eq!(sum(&found), (56_010_000, vec![LineItem::Rounding]));
    assert_eq!(amount(&found, LineItem::SetUp), Some(55_000_000));
    // The rule that bills stopped machines excepts the offer.
    assert!(found.spans.stops && found.traps.is_empty());
}

#[test]
fn huge_amounts_saturate() {
    let usage = Usage {
        sessions: u32::MAX,
        session_s: u64::MAX / 2,
        includes_start: false,
        idle_s: u64::MAX / 4,
        start_s: Some(u64::MAX / 8),
        period_s: u64::MAX,
        storage_bytes: u64::MAX,
        egress_bytes: u64::MAX,
        ingress_bytes: u64::MAX,
        download: Some(Download {
            bytes: u64::MAX,
            bytes_per_s: 0,
        }),
        ipv4: u32::MAX,
    };
    for provider in ["aws", "hetzner", "lambda", "hotaisle"] {
        assert!(billed(provider, usage).total.rounded().0 > 0, "{provider}");
    }
}
