//! A GPU drawn as its slices: a column for each placement unit.

use std::fmt::Write as _;

use sky_accel_core::mig::{Chip, Instance};

/// Columns that the label in front takes.
const LABEL: usize = 10;
/// Columns for all units of a GPU, where there is room and where there is not.
const WIDTHS: [usize; 2] = [68, 48];
/// What a line with the wider one takes.
const ROOM: usize = 80;

/// Columns for all units in a terminal of so many; in a pipe there is room.
pub fn width(terminal: Option<usize>) -> usize {
    WIDTHS[usize::from(terminal.is_some_and(|columns| columns < ROOM))]
}

/// The line with the numbers of the units.
pub fn ruler(chip: &Chip<'_>, width: usize) -> Option<String> {
    let units = usize::from(chip.units?);
    let width = width / units;
    let mut line = format!("{:<LABEL$} ", "start");
    for unit in 0..units {
        let _ = write!(line, "{unit:<width$}");
    }
    line.truncate(line.trim_end().len());
    Some(line)
}

/// A GPU with a label.
pub fn gpu(chip: &Chip<'_>, width: usize, label: &str, instances: &[Instance]) -> String {
    let Some(units) = chip.units.map(usize::from) else {
        // Where things are is not published: only what is there can be told.
        let names: Vec<&str> = instances
            .iter()
            .map(|instance| chip.kinds[instance.kind].name)
            .collect();
        return format!("{label:<LABEL$} {}", names.join(" "));
    };
    let width = width / units;
    let mut line = format!("{label:<LABEL$} ");
    let mut unit = 0;
    while unit < units {
        let here = instances
            .iter()
            .find(|instance| instance.start.map(usize::from) == Some(unit));
        let (name, size) = match here {
            Some(instance) => {
                let kind = &chip.kinds[instance.kind];
                (kind.name, usize::from(kind.size().unwrap_or(1)))
            }
            None => ("-", 1),
        };
        let room = width * size - 1;
        let _ = write!(line, "|{:<room$}", shortened(name, room));
        unit += size;
    }
    line.push('|');
    line
}

/// A name in so many columns: the memory is what can be left out.
fn shortened(name: &str, room: usize) -> String {
    if name.len() <= room {
        return name.to_owned();
    }
    let (slices, rest) = name.split_once('.').unwrap_or((name, ""));
    let attribute = rest.find(['+', '-']).map_or("", |at| &rest[at..]);
    format!("{slices}{attribute}").chars().take(room).collect()
}

#[cfg(test)]
mod tests {
    use super::shortened;

    #[test]
    fn names_are_shortened_to_what_tells_them_apart() {
        assert_eq!(shortened("1g.5gb", 7), "1g.5gb");
        assert_eq!(shortened("1g.10gb+me", 7), "1g+me");
        assert_eq!(shortened("1g.24gb+me.all", 14), "1g.24gb+me.all");
        assert_eq!(shortened("1g.24gb-me", 4), "1g-m");
    }
}
