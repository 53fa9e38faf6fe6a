//! Intel Gaudi: the output of `hl-smi`.

use crate::fields::mib;
use crate::host::Host;
use crate::report::{Device, Report, Source, failed, not_understood};

pub(crate) const VENDOR: &str = "Intel";

pub(crate) fn detect(host: &dyn Host) -> Option<Report> {
    let query = "index,name,bus_id,driver_version,memory.total,memory.free";
    let outputs = host.outputs("hl-smi", &["-Q", query, "-f", "csv"]);
    let report = outputs.iter().find_map(|text| parse(text));
    let failure = || {
        Some(failed(
            Source::HlSmi,
            not_understood("hl-smi", "-Q", &outputs)?,
        ))
    };
    report.or_else(failure)
}

fn parse(text: &str) -> Option<Report> {
    let mut lines = text
        .lines()
        .map(|line| line.split(',').map(str::trim).collect::<Vec<_>>());
    let header = lines.find(|cells| cells.contains(&"name") && cells.contains(&"index"))?;
    let column = |name: &str| {
        header
            .iter()
            .position(|cell| cell.split(' ').next() == Some(name))
    };
    let name = column("name")?;
    let (bus, driver) = (column("bus_id"), column("driver_version"));
    let (total, free) = (column("memory.total"), column("memory.free"));
    let mut report = Report {
        ..Report::new(Source::HlSmi)
    };
    for cells in lines.filter(|cells| cells.len() == header.len()) {
        let cell = |at: Option<usize>| at.and_then(|at| cells.get(at)).copied();
        report.driver = report.driver.or_else(|| cell(driver).map(str::to_owned));
        report.devices.push(Device {
            vendor: VENDOR,
            names: vec![cells[name].to_owned()],
            bus_id: cell(bus).map(str::to_lowercase),
            memory_mib: cell(total).and_then(mib),
            memory_free_mib: cell(free).and_then(mib),
            ..Device::default()
        });
    }
    (!report.devices.is_empty()).then_some(report)
}
