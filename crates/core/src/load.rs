//! A load with a base and peaks, and the cheapest mix of reserved machines, machines on demand and spot machines for
//! it.

use std::ops::Range;

use crate::money::Usd;

/// The days of a week, each with the words for it.
const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
/// The words for several days, as the first day and the number of days.
const GROUPS: [(&str, usize, usize); 3] = [("daily", 0, 7), ("weekdays", 0, 5), ("weekends", 5, 2)];
/// The word for all other hours.
const ELSE: &str = "else";
/// The hours of a day.
const HOURS: usize = 24;
/// The maximum number of machines of a load.
pub const MOST_MACHINES: usize = 10_000;
/// The hours of a month.
const MONTH: f64 = 730.0;
/// The parts of an hour that a number of hours is rounded to.
const THOUSANDTHS: f64 = 1000.0;

/// The hours that a load needs each machine: the first machine most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Load {
    /// The length of the period, in the unit of `hours`.
    pub period: u64,
    /// For each number of machines from 1, the time during which the load needs at least that number, the
    /// longest first.
    pub hours: Vec<u64>,
}

/// A fault of a profile, with its position in the text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ProfileError {
    /// The fault and its correction.
    pub message: String,
    /// The invalid bytes.
    pub span: Range<usize>,
}

impl Load {
    /// Reads a weekly profile, such as `weekdays:9-18=8,else=2`: days, hours and the number of machines.
    ///
    /// # Errors
    ///
    /// The first fault, such as an unknown day, or two parts that give one hour different numbers.
    pub fn of_profile(text: &str) -> Result<Self, ProfileError> {
        let mut week: Vec<Option<(u32, Range<usize>)>> = vec![None; DAYS.len() * HOURS];
        let mut other: Option<(u32, Range<usize>)> = None;
        let mut at = 0;
        for part in text.split(',') {
            let span = at..at + part.len();
            at = span.end + 1;
            let fault = |message: String, span: Range<usize>| ProfileError { message, span };
            let Some((when, machines)) = part.split_once('=') else {
                let message = "write days, hours and a number of machines, such as weekdays:9-18=8";
                return Err(fault(message.to_owned(), span));
            };
            let number_at = span.start + when.len() + 1..span.end;
            let machines = number(machines, number_at)?;
            if when.trim() == ELSE {
                if other.replace((machines, span.clone())).is_some() {
                    return Err(fault("`else` is given twice".to_owned(), span));
                }
                continue;
            }
            let when_at = span.start..span.start + when.len();
            for hour in hours(when, when_at)? {
                match &week[hour] {
                    Some((known, known_at)) if *known != machines => {
                        let (day, hour) = (DAYS[hour / HOURS], hour % HOURS);
                        let message = format!(
                            "'{}' and '{}' give different numbers of machines for {day} at {hour}",
                            &text[known_at.clone()],
                            part
                        );
                        return Err(fault(message, span));
                    }
                    _ => week[hour] = Some((machines, span.clone())),
                }
            }
        }
        let rest = other.map_or(0, |(machines, _)| machines);
        let demand = week
            .iter()
            .map(|hour| hour.as_ref().map_or(rest, |(machines, _)| *machines));
        let load = Self::of_demand(demand);
        if load.hours.is_empty() {
            let message = "no hour needs a machine".to_owned();
            let span = 0..text.len();
            return Err(ProfileError { message, span });
        }
        Ok(load)
    }

    /// Makes the load of machines that are needed for these hours of a month of 730 hours.
    ///
    /// # Errors
    ///
    /// The number of hours that is not above 0 and at most 730.
    pub fn of_monthly_hours(hours: &[f64]) -> Result<Self, f64> {
        let mut rounded = Vec::with_capacity(hours.len());
        for hours in hours {
            if !(*hours > 0.0 && *hours <= MONTH) {
                return Err(*hours);
            }
            rounded.push(((hours * THOUSANDTHS).round() as u64).max(1));
        }
        rounded.sort_unstable_by(|a, b| b.cmp(a));
        Ok(Self {
            period: (MONTH * THOUSANDTHS) as u64,
            hours: rounded,
        })
    }

    /// Makes the load of a number of machines in each hour of a period.
    fn of_demand(demand: impl Iterator<Item = u32>) -> Self {
        let mut load = Self {
            period: 0,
            hours: Vec::new(),
        };
        for machines in demand {
            let machines = machines as usize;
            load.period += 1;
            if load.hours.len() < machines {
                load.hours.resize(machines, 0);
            }
            for hours in &mut load.hours[..machines] {
                *hours += 1;
            }
        }
        load
    }

    /// Returns the greatest number of machines that are needed at once.
    pub fn machines(&self) -> usize {
        self.hours.len()
    }

    /// Returns the time of use of some machines, as a share of the period of one machine.
    pub fn share(&self, machines: Range<usize>) -> f64 {
        let hours = self.hours.get(machines).unwrap_or_default();
        hours.iter().sum::<u64>() as f64 / self.period.max(1) as f64
    }
}

/// Reads a number of machines.
fn number(text: &str, span: Range<usize>) -> Result<u32, ProfileError> {
    let number = text.trim().parse::<u32>().ok();
    number
        .filter(|number| *number as usize <= MOST_MACHINES)
        .ok_or_else(|| ProfileError {
            message: format!("write a whole number of machines, up to {MOST_MACHINES}"),
            span,
        })
}

/// Reads days and hours, such as `weekdays:9-18` or `sat-sun`: returns hours of the week.
fn hours(text: &str, span: Range<usize>) -> Result<Vec<usize>, ProfileError> {
    let (days_text, hours_text) = match text.split_once(':') {
        Some((days, hours)) => (days, Some(hours)),
        None => (text, None),
    };
    let days_at = span.start..span.start + days_text.len();
    let days = days(days_text.trim()).ok_or_else(|| ProfileError {
        message: format!(
            "unknown days: write daily, weekdays, weekends, {}, a range such as mon-fri, or else",
            DAYS.join(", ")
        ),
        span: days_at.clone(),
    })?;
    let (from, until) = match hours_text {
        None => (0, HOURS),
        Some(hours) => {
            let bounds = hours.split_once('-').and_then(|(from, until)| {
                let hour = |text: &str| {
                    let hour = text.trim().parse::<usize>().ok();
                    hour.filter(|hour| *hour <= HOURS)
                };
                Some((hour(from)?, hour(until)?))
            });
            let hours_at = days_at.end + 1..span.end;
            match bounds {
                Some((from, until)) if from < until => (from, until),
                Some(_) => {
                    let message =
                        "the hours end before they begin: write 22-24 and 0-6 for a night";
                    return Err(ProfileError {
                        message: message.to_owned(),
                        span: hours_at,
                    });
                }
                None => {
                    let message = "write full hours from 0 to 24, such as 9-18";
                    return Err(ProfileError {
                        message: message.to_owned(),
                        span: hours_at,
                    });
                }
            }
        }
    };
    let hours = days.flat_map(|day| (from..until).map(move |hour| day * HOURS + hour));
    Ok(hours.collect())
}

/// Returns the days of a word or a range.
fn days(text: &str) -> Option<Range<usize>> {
    let known = GROUPS.iter().find(|(word, ..)| *word == text);
    if let Some((_, first, count)) = known {
        return Some(*first..*first + *count);
    }
    let day = |text: &str| DAYS.iter().position(|day| *day == text.trim());
    match text.split_once('-') {
        Some((first, last)) => {
            let (first, last) = (day(first)?, day(last)?);
            (first <= last).then_some(first..last + 1)
        }
        None => day(text).map(|day| day..day + 1),
    }
}

/// The prices of one machine, in US dollars per hour.
#[derive(Clone, Copy, Debug)]
pub struct MachinePrices {
    /// The price on demand.
    pub on_demand: Usd,
    /// The price of a commitment that bills every hour, used or not; `None` if unknown.
    pub committed: Option<Usd>,
    /// The spot price; `None` if unknown.
    pub spot: Option<Usd>,
}

impl MachinePrices {
    /// Returns the share of the time from which a reserved machine costs less than one on demand; `None` if a price is
    /// unknown.
    pub fn break_even(&self) -> Option<f64> {
        let list = Some(self.on_demand).filter(|usd| usd.0 > 0)?;
        self.committed.map(|usd| usd.decimal() / list.decimal())
    }
}

/// The machines of each kind that serve a load. Reserved machines serve it first, then spot machines, then machines on
/// demand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mix {
    /// The number of reserved machines.
    pub reserved: usize,
    /// The greatest number of spot machines at once.
    pub spot: usize,
    /// The greatest number of machines on demand at once.
    pub on_demand: usize,
}

impl Mix {
    /// Returns the cheapest mix with at most `most_spot` spot machines at once. Of equal mixes, it has the fewest
    /// reserved machines.
    ///
    /// Let `h(k)` be the time that at least `k` machines are needed; `h` never rises with `k`. A reserved machine is
    /// paid whether it is used or not, so for a given number `r` of them it is never wrong to use them first, and then
    /// spot machines, the cheaper of the two others. The `k`-th machine is then reserved if `k <= r`, spot if `k <= r +
    /// s`, and on demand otherwise. With a period `H` and prices `c`, `p` and `q <= p` (reserved, on demand, spot), the
    /// cost is
    ///
    /// ```text
    /// C(r) = r·c·H + q·Σ h(k) for r < k <= r + s  +  p·Σ h(k) for k > r + s
    /// C(r) - C(r - 1) = c·H - q·h(r) - (p - q)·h(r + s)
    /// ```
    ///
    /// Both `h(r)` and `h(r + s)` never rise with `r`, so this difference never falls: `C` is convex, and the best `r`
    /// is the last with a difference below 0. Without spot machines this is the rule `h(r) / H > c / p`: reserve the
    /// machines that run for more than the break-even. Several commitments differ only in `c`, so the cheapest is the
    /// best for every `r`. If spot costs more than on demand, `s` is 0.
    pub fn cheapest(load: &Load, prices: &MachinePrices, most_spot: usize) -> Self {
        let machines = load.machines();
        let spot_price = prices.spot.filter(|usd| *usd < prices.on_demand);
        let most_spot = spot_price.map_or(0, |_| most_spot);
        let (p, q) = (
            u128::from(prices.on_demand.0),
            u128::from(spot_price.unwrap_or(prices.on_demand).0),
        );
        let hours = |k: usize| u128::from(load.hours.get(k - 1).copied().unwrap_or(0));
        let pays = |r: usize, c: Usd| {
            let saved = q * hours(r) + (p - q) * hours(r.saturating_add(most_spot));
            saved > u128::from(c.0) * u128::from(load.period)
        };
        let reserved = prices
            .committed
            .map_or(0, |c| (1..=machines).take_while(|r| pays(*r, c)).count());
        let rest = machines - reserved;
        let spot = rest.min(most_spot);
        Self {
            reserved,
            spot,
            on_demand: rest - spot,
        }
    }

    /// Returns the average cost in US dollars per hour; `None` if it is too large, or the mix has machines without a
    /// price.
    pub fn cost(self, load: &Load, prices: &MachinePrices) -> Option<f64> {
        let of = |usd: Option<Usd>, share: f64| match share {
            0.0 => Some(0.0),
            share => usd.map(|usd| usd.decimal() * share),
        };
        let until = self.reserved + self.spot;
        let cost = of(prices.committed, self.reserved as f64)?
            + of(prices.spot, load.share(self.reserved..until))?
            + of(Some(prices.on_demand), load.share(until..load.machines()))?;
        Some(cost).filter(|cost| cost.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prices(on_demand: u64, committed: Option<u64>, spot: Option<u64>) -> MachinePrices {
        MachinePrices {
            on_demand: Usd(on_demand),
            committed: committed.map(Usd),
            spot: spot.map(Usd),
        }
    }

    #[test]
    fn profiles_give_the_hours_of_each_machine() {
        let load = Load::of_profile("weekdays:9-18=8,else=2").unwrap();
        assert_eq!(load.period, 168);
        assert_eq!(load.hours, [168, 168, 45, 45, 45, 45, 45, 45]);
        let load = Load::of_profile("mon-tue=1, sat:22-24 = 2").unwrap();
        assert_eq!(load.hours, [50, 2]);
        let load = Load::of_monthly_hours(&[100.0, 730.0]).unwrap();
        assert_eq!((load.period, load.hours), (730_000, vec![730_000, 100_000]));
        assert_eq!(Load::of_monthly_hours(&[0.0]), Err(0.0));
        assert_eq!(Load::of_monthly_hours(&[731.0]), Err(731.0));
    }

    #[test]
    fn faults_of_profiles_are_at_their_place() {
        for (text, place) in [
            ("weekdays:9-18", "weekdays:9-18"),
            ("weekdays:9-18=8,someday=2", "someday"),
            ("weekdays:18-9=8", "18-9"),
            ("weekdays:9-25=8", "9-25"),
            ("weekdays:9=8", "9"),
            ("else=many", "many"),
            ("else=1,else=2", "else=2"),
            ("daily=2,mon:3-4=5", "mon:3-4=5"),
            ("else=0", "else=0"),
            ("fri-mon=1", "fri-mon"),
            ("", ""),
            ("else=99999999", "99999999"),
            ("else=10001", "10001"),
            ("mon:9-9=1", "9-9"),
            ("mon:0-25=1", "0-25"),
            ("mon:a-9=1", "a-9"),
        ] {
            let error = Load::of_profile(text).unwrap_err();
            assert_eq!(&text[error.span.clone()], place, "{text}: {error}");
        }
        for (text, message) in [
            (
                "daily",
                "write days, hours and a number of machines, such as weekdays:9-18=8",
            ),
            ("else=many", "write a whole number of machines, up to 10000"),
            ("else=1,else=2", "`else` is given twice"),
            ("else=0", "no hour needs a machine"),
            (
                "day=1",
                "unknown days: write daily, weekdays, weekends, mon, tue, wed, thu, fri, sat, sun, a range such as mon-fri, or else",
            ),
            (
                "mon:9-8=1",
                "the hours end before they begin: write 22-24 and 0-6 for a night",
            ),
            ("mon:9=1", "write full hours from 0 to 24, such as 9-18"),
            (
                "mon:9-18=1,tue:1-2=3,daily:3-10=2",
                "'mon:9-18=1' and 'daily:3-10=2' give different numbers of machines for mon at 9",
            ),
        ] {
            assert_eq!(Load::of_profile(text).unwrap_err().message, message);
        }
        let error = Load::of_profile("daily=2,mon:3-4=5").unwrap_err();
        assert!(
            error.message.contains("'daily=2' and 'mon:3-4=5'"),
            "{error}"
        );
    }

    #[test]
    fn profiles_reach_their_bounds() {
        let hours = |text: &str| Load::of_profile(text).unwrap().hours;
        assert_eq!(hours("else=10000").len(), 10_000);
        assert_eq!(hours("mon:0-24=1"), [24]);
        assert_eq!(hours("sun:23-24=1"), [1]);
        for (days, of_week) in [
            ("daily", 7),
            ("weekdays", 5),
            ("weekends", 2),
            ("mon-mon", 1),
            ("wed-sun", 5),
            ("sat", 1),
        ] {
            assert_eq!(hours(&format!("{days}=1")), [24 * of_week], "{days}");
        }
        // Parts may repeat a number for an hour, and `else` is for all other hours.
        assert_eq!(hours("daily=1,mon:3-4=1"), [168]);
        assert_eq!(hours("mon=2,else=1"), [168, 24]);
        // Less than a thousandth of an hour counts as one.
        assert_eq!(Load::of_monthly_hours(&[1e-9]).unwrap().hours, [1]);
        assert_eq!(Load::of_monthly_hours(&[0.0015]).unwrap().hours, [2]);
    }

    #[test]
    fn a_load_has_shares_of_its_period() {
        let load = Load::of_profile("weekdays=2,else=1").unwrap();
        assert_eq!(load.machines(), 2);
        for (machines, wanted) in [(0..1, 168.0), (1..2, 120.0), (0..2, 288.0), (2..3, 0.0)] {
            let share = load.share(machines.clone()) * 168.0;
            assert!((share - wanted).abs() < 1e-9, "{machines:?}: {share}");
        }
    }

    #[test]
    fn a_machine_pays_from_its_share_of_the_list_price() {
        let share = |on_demand, committed| prices(on_demand, committed, None).break_even();
        assert_eq!(share(200, Some(50)), Some(0.25));
        assert_eq!(share(1, Some(1)), Some(1.0));
        assert_eq!(share(0, Some(50)), None);
        assert_eq!(share(200, None), None);
    }

    #[test]
    fn a_mix_costs_what_its_machines_cost() {
        let load = Load::of_profile("weekdays=3,else=2").unwrap();
        let mix = |reserved, spot, on_demand| Mix {
            reserved,
            spot,
            on_demand,
        };
        let known = prices(4_000_000, Some(2_000_000), Some(1_000_000));
        for (mix, wanted) in [
            (mix(3, 0, 0), 6.0),
            (mix(2, 1, 0), 4.0 + 120.0 / 168.0),
            (mix(1, 1, 1), 2.0 + 1.0 + 4.0 * 120.0 / 168.0),
            (mix(0, 0, 3), 8.0 + 4.0 * 120.0 / 168.0),
        ] {
            let cost = mix.cost(&load, &known).unwrap();
            assert!((cost - wanted).abs() < 1e-9, "{mix:?}: {cost}");
        }
        let unknown = prices(4_000_000, None, None);
        assert_eq!(mix(1, 0, 2).cost(&load, &unknown), None);
        assert_eq!(mix(0, 1, 2).cost(&load, &unknown), None);
        assert!(mix(0, 0, 3).cost(&load, &unknown).is_some());
        // Spot machines that cost as much as others are not used.
        let equal = Mix::cheapest(&load, &prices(100, None, Some(100)), 3);
        assert_eq!((equal.reserved, equal.spot, equal.on_demand), (0, 0, 3));
    }

    /// The lowest cost over every number of reserved machines and every number of spot machines in every hour.
    fn by_brute_force(demand: &[u32], prices: &MachinePrices, most_spot: usize) -> u128 {
        let most = demand.iter().copied().max().unwrap_or(0);
        let p = u128::from(prices.on_demand.0);
        let mut best = u128::MAX;
        for reserved in 0..=most {
            let paid = match (reserved, prices.committed) {
                (0, _) => 0,
                (_, None) => continue,
                (r, Some(c)) => u128::from(r) * u128::from(c.0) * demand.len() as u128,
            };
            let mut cost = paid;
            for needed in demand {
                let mut least = u128::MAX;
                for used in 0..=reserved.min(*needed) {
                    let rest = needed - used;
                    let most_spot = prices.spot.map_or(0, |_| most_spot as u32);
                    for spot in 0..=rest.min(most_spot) {
                        let q = u128::from(prices.spot.map_or(0, |usd| usd.0));
                        least = least.min(u128::from(spot) * q + u128::from(rest - spot) * p);
                    }
                }
                cost += least;
            }
            best = best.min(cost);
        }
        best
    }

    #[test]
    fn no_other_mix_is_cheaper() {
        // A linear congruential generator, so that the cases are the same in every run.
        let mut state: u64 = 7;
        let mut next = |below: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) % below
        };
        for case in 0..400 {
            let demand: Vec<u32> = (0..12).map(|_| next(6) as u32).collect();
            let on_demand = 1 + next(100);
            let committed = (next(4) > 0).then(|| 1 + next(100));
            let spot = (next(3) > 0).then(|| 1 + next(110));
            let prices = prices(on_demand, committed, spot);
            let most_spot = next(5) as usize;
            let load = Load::of_demand(demand.iter().copied());
            let mix = Mix::cheapest(&load, &prices, most_spot);
            assert_eq!(
                mix.reserved + mix.spot + mix.on_demand,
                load.machines(),
                "case {case}"
            );
            let found = mix.cost(&load, &prices).unwrap() * 12.0 * 1e6;
            let least = by_brute_force(&demand, &prices, most_spot) as f64;
            assert!(
                (found - least).abs() < 1e-3,
                "case {case}: {mix:?} {found} {least}"
            );
        }
    }

    #[test]
    fn machines_above_the_break_even_are_reserved() {
        let load = Load::of_profile("weekdays:9-18=8,else=2").unwrap();
        // 45 of 168 hours are 26.8 %.
        for (committed, reserved) in [(26, 8), (27, 2), (99, 2), (100, 0), (120, 0)] {
            let mix = Mix::cheapest(&load, &prices(100, Some(committed), None), 0);
            assert_eq!(mix.reserved, reserved, "{committed}");
        }
        let mix = Mix::cheapest(&load, &prices(100, None, Some(30)), 3);
        assert_eq!((mix.reserved, mix.spot, mix.on_demand), (0, 3, 5));
    }
}
