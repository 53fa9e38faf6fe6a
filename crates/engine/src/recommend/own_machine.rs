//! The cost of a machine that the user owns.

use sky_accel_core::suggest;

use crate::code::ErrorCode;
use crate::contract::{Num, OwnMachineOut};
use crate::error::{Error, Problem, Result, TextPosition};

/// The hours of a year.
const HOURS: f64 = 8760.0;

/// A figure of a machine: its key, and its bounds. A bound of zero belongs to figures that may be zero.
struct OwnFigure {
    key: &'static str,
    least: f64,
    most: f64,
    what: &'static str,
}

/// The figures, ordered like the fields of [`OwnMachine`].
const FIGURES: [OwnFigure; 5] = [
    OwnFigure {
        key: "price",
        least: 1.0,
        most: 1e10,
        what: "US dollars",
    },
    OwnFigure {
        key: "years",
        least: 0.1,
        most: 50.0,
        what: "years",
    },
    OwnFigure {
        key: "kw",
        least: 0.0,
        most: 1e6,
        what: "kilowatts",
    },
    OwnFigure {
        key: "usd_per_kwh",
        least: 0.0,
        most: 100.0,
        what: "US dollars per kilowatt-hour",
    },
    OwnFigure {
        key: "utilization",
        least: 0.001,
        most: 1.0,
        what: "of all hours",
    },
];

/// A machine that the user owns, and its use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct OwnMachine {
    /// US dollars.
    price: f64,
    /// Years until it is paid off.
    years: f64,
    /// Kilowatts while it works.
    kw: f64,
    /// US dollars per kilowatt-hour.
    usd_per_kwh: f64,
    /// The share of all hours that it works.
    utilization: f64,
}

impl OwnMachine {
    /// Reads `price=250000,years=3,kw=10.2,usd_per_kwh=0.12,utilization=0.6`, in any order.
    pub fn parse(text: &str) -> Result<Self> {
        let mut values: [Option<f64>; FIGURES.len()] = [None; FIGURES.len()];
        let mut problems = Vec::new();
        let mut start = 0;
        for part in text.split(',') {
            let span = start..start + part.len();
            start = span.end + 1;
            match read(part) {
                Ok((at, value)) => {
                    if values[at].replace(value).is_some() {
                        let message = format!("'{}' is given twice", FIGURES[at].key);
                        problems.push(problem(text, span, &message));
                    }
                }
                Err((message, hints)) => problems.push(Problem {
                    hints,
                    ..problem(text, span, &message)
                }),
            }
        }
        let missing = FIGURES.iter().zip(&values);
        let missing: Vec<&str> = missing
            .filter(|(_, value)| value.is_none())
            .map(|(figure, _)| figure.key)
            .collect();
        if !missing.is_empty() && problems.is_empty() {
            let message = format!(
                "{} missing: write price=250000,years=3,kw=10.2,usd_per_kwh=0.12,utilization=0.6",
                match missing[..] {
                    [only] => format!("'{only}' is"),
                    _ => format!("'{}' are", missing.join("', '")),
                }
            );
            problems.push(problem(text, text.len()..text.len(), &message));
        }
        if !problems.is_empty() {
            return Err(Error::several(problems));
        }
        let [price, years, kw, usd_per_kwh, utilization] = values.map(Option::unwrap_or_default);
        Ok(Self {
            price,
            years,
            kw,
            usd_per_kwh,
            utilization,
        })
    }

    /// US dollars for power in an hour of work.
    fn power_per_hour(&self) -> f64 {
        self.kw * self.usd_per_kwh
    }

    /// US dollars for an hour of work.
    pub fn usd_per_hour(&self) -> f64 {
        self.price / (self.years * HOURS * self.utilization) + self.power_per_hour()
    }

    /// The machine in an answer, against a rented machine.
    pub fn out(&self, usd_per_unit: Option<f64>, rented_per_hour: Option<f64>) -> OwnMachineOut {
        let share = rented_per_hour
            .map(|rented| self.price / (self.years * HOURS) / (rented - self.power_per_hour()));
        OwnMachineOut {
            price_usd: Num(self.price),
            years: Num(self.years),
            kw: Num(self.kw),
            usd_per_kwh: Num(self.usd_per_kwh),
            utilization: Num(self.utilization),
            usd_per_hour: Num(self.usd_per_hour()),
            usd_per_unit: usd_per_unit.map(Num),
            break_even_utilization: share.filter(|share| (0.0..=1.0).contains(share)).map(Num),
        }
    }
}

/// Reads `years=3`: the index of the figure and its value, or a message and suggestions.
fn read(part: &str) -> std::result::Result<(usize, f64), (String, Vec<String>)> {
    let keys = || FIGURES.iter().map(|figure| figure.key);
    let Some((key, value)) = part.split_once('=') else {
        let keys: Vec<&str> = keys().collect();
        let message = format!(
            "'{}' has no '=': write each figure as key=number, with the keys {}",
            part.trim(),
            keys.join(", ")
        );
        return Err((message, Vec::new()));
    };
    let key = key.trim();
    let Some(at) = keys().position(|known| known == key) else {
        let all: Vec<&str> = keys().collect();
        let message = format!("unknown key '{key}': the keys are {}", all.join(", "));
        return Err((message, suggest::closest(key, keys())));
    };
    let figure = &FIGURES[at];
    let number = value.trim().parse::<f64>().ok();
    let number = number.filter(|number| (figure.least..=figure.most).contains(number));
    number.map(|number| (at, number)).ok_or_else(|| {
        let message = format!(
            "'{}' is not a number from {} to {} {}, without units",
            value.trim(),
            figure.least,
            figure.most,
            figure.what
        );
        (message, Vec::new())
    })
}

fn problem(text: &str, span: std::ops::Range<usize>, message: &str) -> Problem {
    Problem {
        place: Some(TextPosition {
            file: None,
            text: text.to_owned(),
            span,
        }),
        ..Problem::new(ErrorCode::BadValue, format!("`own`: {message}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "price=250000,years=3,kw=10.2,usd_per_kwh=0.12,utilization=0.6";

    #[test]
    fn costs_the_price_over_hours_of_work_and_power() {
        let own = OwnMachine::parse(TEXT).unwrap();
        // 250,000 / (3 × 8,760 × 0.6) + 10.2 × 0.12
        assert!((own.usd_per_hour() - 17.0789).abs() < 1e-4);
        let out = own.out(None, Some(20.0));
        // 250,000 / (3 × 8,760) / (20 - 1.224)
        assert!((out.break_even_utilization.unwrap().0 - 0.506_654).abs() < 1e-6);
        assert_eq!(own.out(None, Some(1.0)).break_even_utilization, None);
        assert_eq!(own.out(None, Some(2.0)).break_even_utilization, None);
        let other = "utilization=0.6, usd_per_kwh=0.12, kw=10.2, years=3, price=250000";
        assert_eq!(OwnMachine::parse(other).unwrap(), own);
    }

    #[test]
    fn each_figure_has_its_bounds_and_both_are_possible() {
        for (key, least, most, what) in [
            ("price", 1.0, 1e10, "US dollars"),
            ("years", 0.1, 50.0, "years"),
            ("kw", 0.0, 1e6, "kilowatts"),
            ("usd_per_kwh", 0.0, 100.0, "US dollars per kilowatt-hour"),
            ("utilization", 0.001, 1.0, "of all hours"),
        ] {
            let of = |value: f64| {
                let parts = TEXT.split(',').map(|part| match part.split_once('=') {
                    Some((known, _)) if known == key => format!("{key}={value}"),
                    _ => part.to_owned(),
                });
                OwnMachine::parse(&parts.collect::<Vec<_>>().join(","))
            };
            assert!(of(least).is_ok() && of(most).is_ok(), "{key}");
            for beyond in [least - 0.0005, most * 1.001] {
                let message = of(beyond).unwrap_err().to_string();
                let wanted = format!(
                    "`own`: '{beyond}' is not a number from {least} to {most} {what}, without units"
                );
                assert_eq!(message, wanted);
            }
        }
    }

    #[test]
    fn faults_are_told_with_what_to_write() {
        let message = |text: &str| OwnMachine::parse(text).unwrap_err().to_string();
        let keys = "price, years, kw, usd_per_kwh, utilization";
        let rest = "missing: write price=250000,years=3,kw=10.2,usd_per_kwh=0.12,utilization=0.6";
        for (text, wanted) in [
            (
                "price=1,years=1,kw=1,usd_per_kwh=1".to_owned(),
                format!("`own`: 'utilization' is {rest}"),
            ),
            (
                "price=1,years=1,kw=1".to_owned(),
                format!("`own`: 'usd_per_kwh', 'utilization' are {rest}"),
            ),
            (
                format!("{TEXT}, years"),
                format!(
                    "`own`: 'years' has no '=': write each figure as key=number, with the keys {keys}"
                ),
            ),
            (
                format!("{TEXT},years=3"),
                "`own`: 'years' is given twice".to_owned(),
            ),
            (
                format!("{TEXT},color=red"),
                format!("`own`: unknown key 'color': the keys are {keys}"),
            ),
        ] {
            assert_eq!(message(&text), wanted);
        }
    }

    #[test]
    fn an_answer_repeats_the_figures() {
        let out = OwnMachine::parse(TEXT).unwrap().out(Some(0.5), None);
        let figures = [
            out.price_usd,
            out.years,
            out.kw,
            out.usd_per_kwh,
            out.utilization,
        ];
        assert_eq!(figures, [250_000.0, 3.0, 10.2, 0.12, 0.6].map(Num));
        assert_eq!(out.usd_per_unit, Some(Num(0.5)));
        assert_eq!(out.break_even_utilization, None);
        // This machine is paid off only if it always works.
        let text = "price=8760,years=1,kw=0,usd_per_kwh=0,utilization=0.5";
        let own = OwnMachine::parse(text).unwrap();
        let share = |rented| own.out(None, Some(rented)).break_even_utilization;
        assert_eq!(share(1.0), Some(Num(1.0)));
        assert_eq!(share(2.0), Some(Num(0.5)));
        assert_eq!(share(0.5), None);
    }

    #[test]
    fn problems_point_at_their_part() {
        for (text, parts) in [
            (TEXT.replace("years", "yeers"), vec!["yeers=3"]),
            (TEXT.replace("=3,", "=3y,"), vec!["years=3y"]),
            (TEXT.replace("0.6", "1.6"), vec!["utilization=1.6"]),
            (TEXT.replace("0.6", "nan"), vec!["utilization=nan"]),
            (TEXT.replace("kw=10.2,", "kw,"), vec!["kw"]),
            (format!("{TEXT},kw=1"), vec!["kw=1"]),
            ("price=1,years=1,kw=x,y=1".to_owned(), vec!["kw=x", "y=1"]),
            ("price=1".to_owned(), vec![""]),
            (String::new(), vec![""]),
        ] {
            let error = OwnMachine::parse(&text).unwrap_err();
            let found: Vec<&str> = error
                .problems
                .iter()
                .map(|problem| &text[problem.place.as_ref().unwrap().span.clone()])
                .collect();
            assert_eq!(found, parts, "{text}");
        }
        let error = OwnMachine::parse("price=1,years=1").unwrap_err();
        assert!(
            error.problems[0]
                .message
                .contains("'kw', 'usd_per_kwh', 'utilization' are missing")
        );
    }
}
