//! The use of a machine that a bill is for, as a request states it.

use serde::Serialize;
use serde_json::Value;
use sky_accel_core::bill::{Download, MONTH_S, Usage};
use sky_accel_core::text::{grouped, list_and};

use crate::code::ErrorCode;
use crate::contract::Num;
use crate::error::{Error, Result};

/// The hours of a month, a twelfth of a year.
const MONTH_HOURS: f64 = 730.0;
/// The seconds of an hour.
const HOUR_S: f64 = 3600.0;
/// The most hours of a use: ten years.
const MAX_HOURS: f64 = 87_600.0;
/// The most sessions.
const MAX_SESSIONS: u32 = 100_000;
/// The most storage and traffic in GB: an exabyte.
const MAX_GB: f64 = 1e9;
/// The most addresses of a machine.
const MAX_IPV4: u32 = 1000;
/// The bandwidth of a download in Gbit/s if the request states none: what hubs of models usually reach.
const USUAL_GBIT_PER_S: f64 = 1.0;
/// The bytes per second of a Gbit/s.
const BYTES_PER_GBIT: f64 = 125e6;

/// The use of a machine. Without hours and sessions, the machine works for a month of 730 hours.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BillUse {
    /// The hours of work in one session. Omitted with `sessions`, and for a whole month.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hours: Option<Num>,
    /// True if the bill is for a month of 730 hours, in which the disk is kept also while the machine does not work.
    /// Sessions are always those of a month.
    pub month: bool,
    /// The number of sessions in the month. Omitted without sessions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sessions: Option<u32>,
    /// The hours of work in each session. Omitted without sessions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hours_per_session: Option<Num>,
    /// The hours without work at the end of each session. Omitted without idle time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle_hours: Option<Num>,
    /// The hours of each start. Omitted for the time that the catalog has for the provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_hours: Option<Num>,
    /// The disk that each machine keeps, in GB. Omitted without a disk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub storage_gb: Option<Num>,
    /// The traffic to the internet in the whole period, in GB. Omitted without traffic.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub egress_gb: Option<Num>,
    /// The traffic from the internet in the whole period without the checkpoint, in GB. Omitted without traffic.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ingress_gb: Option<Num>,
    /// The bandwidth of the download of the checkpoint in Gbit/s. Omitted for 1 Gbit/s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bandwidth: Option<Num>,
    /// The public IPv4 addresses of each machine. Omitted for one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ipv4: Option<u32>,
}

impl BillUse {
    /// Reads the `use` of another answer; `None` if it has none.
    pub(crate) fn read(request: &Value) -> Option<Self> {
        let of = request.get("use")?.as_object()?;
        let number = |field: &str| of.get(field).and_then(Value::as_f64).map(Num);
        let whole = |field: &str| {
            let number = of.get(field).and_then(Value::as_u64)?;
            u32::try_from(number).ok()
        };
        Some(Self {
            hours: number("hours"),
            month: of.get("month").and_then(Value::as_bool).unwrap_or_default(),
            sessions: whole("sessions"),
            hours_per_session: number("hours_per_session"),
            idle_hours: number("idle_hours"),
            start_hours: number("start_hours"),
            storage_gb: number("storage_gb"),
            egress_gb: number("egress_gb"),
            ingress_gb: number("ingress_gb"),
            // A bill of specs has no checkpoint.
            bandwidth: None,
            ipv4: whole("ipv4"),
        })
    }

    /// Returns the use in the units of the bill, with the download of a checkpoint of `checkpoint` bytes.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::BadValue`] for fields that contradict each other, naming both, and for figures out of bounds.
    pub(crate) fn usage(&self, checkpoint: Option<f64>) -> Result<Usage> {
        let (sessions, length_s) = self.sessions()?;
        let idle_s = seconds("idle_hours", self.idle_hours)?.unwrap_or(0);
        let start_s = seconds("start_hours", self.start_hours)?;
        let is_month = self.month || self.sessions.is_some() || self.hours.is_none();
        if self.bandwidth.is_some() && checkpoint.is_none() {
            return Err(wrong(
                "`bandwidth` applies to the download of a checkpoint: it needs `model`",
            ));
        }
        let gbit = figure("bandwidth", self.bandwidth, 100_000.0)?;
        let bytes_per_s = gbit.unwrap_or(USUAL_GBIT_PER_S) * BYTES_PER_GBIT;
        let work_s = u64::from(sessions).saturating_mul(length_s.saturating_add(idle_s));
        let usage = Usage {
            sessions,
            session_s: length_s,
            includes_start: self.states_no_time() || self.is_whole_month(),
            idle_s,
            start_s,
            period_s: if is_month { MONTH_S } else { work_s },
            storage_bytes: bytes("storage_gb", self.storage_gb)?,
            egress_bytes: bytes("egress_gb", self.egress_gb)?,
            ingress_bytes: bytes("ingress_gb", self.ingress_gb)?,
            download: checkpoint.map(|bytes| Download {
                bytes: bytes.round() as u64,
                bytes_per_s: (bytes_per_s.round() as u64).max(1),
            }),
            ipv4: match self.ipv4 {
                Some(count) if count > MAX_IPV4 => {
                    return Err(wrong(format!("`ipv4` must be at most {MAX_IPV4}")));
                }
                count => count.unwrap_or(1),
            },
        };
        let needed_s = usage.stated_s();
        if is_month && needed_s > MONTH_S {
            return Err(self.too_long(needed_s, usage.download.is_some()));
        }
        Ok(usage)
    }

    /// Returns the name of a field that is given.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let fields = [
            ("sessions", self.sessions.is_some()),
            ("storage_gb", self.storage_gb.is_some()),
            ("egress_gb", self.egress_gb.is_some()),
            ("ingress_gb", self.ingress_gb.is_some()),
            ("idle_hours", self.idle_hours.is_some()),
            ("start_hours", self.start_hours.is_some()),
            ("ipv4", self.ipv4.is_some()),
        ];
        fields
            .iter()
            .find(|(_, is_given)| *is_given)
            .map(|(field, _)| *field)
    }

    /// Returns the name of a field that says how long the machine works.
    pub(crate) fn stated_time(&self) -> Option<&'static str> {
        let fields = [
            ("sessions", self.sessions.is_some()),
            ("hours_per_session", self.hours_per_session.is_some()),
            ("hours", self.hours.is_some()),
            ("month", self.month),
        ];
        let given = fields.into_iter().find(|(_, is_given)| *is_given);
        given.map(|(field, _)| field)
    }

    /// Returns whether the machine works for a month without a pause.
    fn is_whole_month(&self) -> bool {
        self.month && self.hours.is_none() && self.sessions.is_none()
    }

    /// Returns whether no field says how long the machine works.
    pub(crate) fn states_no_time(&self) -> bool {
        self.stated_time().is_none()
    }

    /// Returns the sessions and the seconds of work in each.
    fn sessions(&self) -> Result<(u32, u64)> {
        let hours = seconds("hours", self.hours)?;
        let per_session = seconds("hours_per_session", self.hours_per_session)?;
        match (hours, self.sessions, per_session) {
            (Some(_), Some(_), _) => Err(wrong(
                "`hours` and `sessions` both say how long the machine works: give one of them",
            )),
            (Some(_), None, Some(_)) => Err(wrong(
                "`hours` and `hours_per_session` both say how long the machine works: give one of them",
            )),
            (None, Some(_), None) => Err(wrong("`sessions` needs `hours_per_session`")),
            (None, None, Some(_)) => Err(wrong("`hours_per_session` needs `sessions`")),
            (None, Some(sessions), Some(length_s)) => {
                if sessions == 0 || sessions > MAX_SESSIONS {
                    return Err(wrong(format!(
                        "`sessions` must be a whole number from 1 to {MAX_SESSIONS}, not {sessions}"
                    )));
                }
                Ok((sessions, length_s))
            }
            (Some(length_s), None, None) => Ok((1, length_s)),
            (None, None, None) => Ok((1, MONTH_S)),
        }
    }

    /// The error for a use that takes longer than a month. It names each part of the time that the request states.
    fn too_long(&self, needed_s: u64, has_download: bool) -> Error {
        let parts = [
            (self.hours.is_some(), "`hours`"),
            (
                self.sessions.is_some(),
                "`sessions` with `hours_per_session`",
            ),
            (self.start_hours.is_some(), "`start_hours`"),
            (self.idle_hours.is_some(), "`idle_hours`"),
            (has_download, "the download of the model"),
        ];
        let stated: Vec<&str> = parts
            .into_iter()
            .filter_map(|(is_stated, part)| is_stated.then_some(part))
            .collect();
        let take = if stated.len() > 1 { "take" } else { "takes" };
        let month = if self.month { "`month`" } else { "a month" };
        let hours = grouped((needed_s as f64 / HOUR_S).ceil());
        wrong(format!(
            "{} {take} {hours} hours, and {month} has {MONTH_HOURS}",
            list_and(&stated)
        ))
    }
}

fn wrong(message: impl Into<String>) -> Error {
    Error::new(ErrorCode::BadValue, message)
}

/// Checks a figure that is above zero and at most `most`.
fn figure(name: &str, figure: Option<Num>, most: f64) -> Result<Option<f64>> {
    match figure {
        Some(Num(value)) if !(value > 0.0 && value <= most) => Err(wrong(format!(
            "`{name}` must be a number above 0 and at most {}, not {}",
            grouped(most),
            grouped(value)
        ))),
        figure => Ok(figure.map(|Num(value)| value)),
    }
}

/// Returns hours in seconds, to the nearest second.
fn seconds(name: &str, hours: Option<Num>) -> Result<Option<u64>> {
    let hours = match hours {
        // A start or a wait may take no time.
        Some(Num(hours)) if hours == 0.0 && name != "hours" && name != "hours_per_session" => {
            return Ok(Some(0));
        }
        hours => figure(name, hours, MAX_HOURS)?,
    };
    Ok(hours.map(|hours| (hours * HOUR_S).round() as u64))
}

/// Returns gigabytes in bytes; 0 without a figure.
fn bytes(name: &str, gb: Option<Num>) -> Result<u64> {
    if gb == Some(Num(0.0)) {
        return Ok(0);
    }
    let gb = figure(name, gb, MAX_GB)?;
    Ok(gb.map_or(0, |gb| (gb * 1e9).round() as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(of: &BillUse, checkpoint: Option<f64>) -> String {
        let error = of.usage(checkpoint).unwrap_err();
        error.problems[0].message.clone()
    }

    #[test]
    fn contradictions_name_both_fields() {
        let hours = Some(Num(10.0));
        let (sessions, each) = (Some(20), Some(Num(3.0)));
        for (hours, sessions, each, month, fields) in [
            (hours, sessions, each, false, &["`hours`", "`sessions`"][..]),
            (
                hours,
                None,
                each,
                false,
                &["`hours`", "`hours_per_session`"],
            ),
            (
                None,
                sessions,
                None,
                false,
                &["`sessions`", "`hours_per_session`"],
            ),
            (
                None,
                None,
                each,
                false,
                &["`sessions`", "`hours_per_session`"],
            ),
            (
                Some(Num(731.0)),
                None,
                None,
                true,
                &["`hours`", "`month`", "731"],
            ),
            (
                None,
                Some(300),
                each,
                false,
                &["`sessions`", "`hours_per_session`", "900"],
            ),
        ] {
            let of = BillUse {
                hours,
                sessions,
                hours_per_session: each,
                month,
                ..BillUse::default()
            };
            let message = message(&of, None);
            for field in fields {
                assert!(message.contains(field), "{message}");
            }
        }
        let of = BillUse {
            bandwidth: Some(Num(1.0)),
            ..BillUse::default()
        };
        assert!(message(&of, None).contains("`model`"));
        assert!(of.usage(Some(1e9)).is_ok());
    }

    #[test]
    fn starts_idle_time_and_downloads_are_within_the_month() {
        let whole = BillUse {
            month: true,
            ..BillUse::default()
        };
        for (of, checkpoint, fields) in [
            (
                BillUse {
                    start_hours: Some(Num(30.0)),
                    idle_hours: Some(Num(730.0)),
                    ..whole.clone()
                },
                None,
                &["`start_hours` and `idle_hours` take 760", "`month`"][..],
            ),
            (
                BillUse {
                    hours: Some(Num(700.0)),
                    start_hours: Some(Num(40.0)),
                    ..whole.clone()
                },
                None,
                &["`hours` and `start_hours` take 740"],
            ),
            (
                BillUse {
                    bandwidth: Some(Num(0.001)),
                    ..BillUse::default()
                },
                Some(1e12),
                &["the download of the model takes 2,223", "a month"],
            ),
        ] {
            let message = message(&of, checkpoint);
            for field in fields {
                assert!(message.contains(field), "{message}");
            }
        }
        let fits = BillUse {
            start_hours: Some(Num(30.0)),
            idle_hours: Some(Num(700.0)),
            ..whole
        };
        assert!(fits.usage(None).is_ok());
        let without_month = BillUse {
            hours: Some(Num(700.0)),
            start_hours: Some(Num(40.0)),
            ..BillUse::default()
        };
        assert!(without_month.usage(None).is_ok());
    }

    #[test]
    fn figures_have_bounds() {
        let base = BillUse::default();
        for bad in [f64::NAN, f64::INFINITY, -1.0, 1e12] {
            let value = Some(Num(bad));
            for of in [
                BillUse {
                    hours: value,
                    ..base.clone()
                },
                BillUse {
                    storage_gb: value,
                    ..base.clone()
                },
                BillUse {
                    egress_gb: value,
                    ..base.clone()
                },
                BillUse {
                    idle_hours: value,
                    ..base.clone()
                },
                BillUse {
                    start_hours: value,
                    ..base.clone()
                },
            ] {
                assert!(of.usage(None).is_err(), "{of:?}");
            }
        }
        assert!(
            BillUse {
                hours: Some(Num(0.0)),
                ..base.clone()
            }
            .usage(None)
            .is_err()
        );
        assert!(
            BillUse {
                start_hours: Some(Num(0.0)),
                ..base
            }
            .usage(None)
            .is_ok()
        );
    }

    #[test]
    fn a_bill_is_for_a_month_without_hours() {
        let month = BillUse::default().usage(None).unwrap();
        assert_eq!((month.sessions, month.session_s), (1, MONTH_S));
        assert_eq!(month.period_s, MONTH_S);
        let short = BillUse {
            hours: Some(Num(1.5)),
            ..BillUse::default()
        };
        assert_eq!(short.usage(None).unwrap().period_s, 5400);
        let usage = short.usage(Some(140e9)).unwrap();
        assert_eq!(usage.download.unwrap().seconds(), 1120);
    }
}
