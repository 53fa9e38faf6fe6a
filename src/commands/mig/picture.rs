//! Draws GPUs as their slices, with one column per placement unit.

use anstyle::{AnsiColor, Style};
use sky_accel_core::mig::{Chip, Instance};

use crate::context::Context;
use crate::html::{DrawnGpu, DrawnSlice, gpus};
use crate::render::{Block, Line};
use crate::ui::DIM;

/// Columns of the label in front.
const LABEL: usize = 10;
/// Columns for all units of a GPU, in wide and narrow terminals.
const WIDTHS: [usize; 2] = [68, 48];
/// The minimum width of a wide terminal.
const ROOM: usize = 80;
/// One color per kind of slice, repeated.
const COLORS: [AnsiColor; 6] = [
    AnsiColor::Cyan,
    AnsiColor::Green,
    AnsiColor::Yellow,
    AnsiColor::Magenta,
    AnsiColor::Blue,
    AnsiColor::White,
];

/// Where the picture is seen.
#[derive(Clone, Copy)]
pub enum PictureMedium {
    Html,
    /// The columns for all units of a GPU.
    Letters(usize),
}

impl PictureMedium {
    /// Output to a pipe is wide.
    pub fn of(context: &Context<'_>) -> Self {
        if context.settings.output.is_html() {
            return Self::Html;
        }
        let is_narrow = context.ui.width().is_some_and(|columns| columns < ROOM);
        Self::Letters(WIDTHS[usize::from(is_narrow)])
    }
}

/// A GPU with its label, and its existing and placed instances.
pub struct LabeledGpu<'g> {
    pub label: String,
    pub existing: &'g [Instance],
    pub placed: &'g [Instance],
}

/// Draws GPUs, and says what is not drawn.
pub fn block(
    chip: &Chip<'_>,
    view: PictureMedium,
    labeled: &[LabeledGpu<'_>],
    more: Option<String>,
) -> Block {
    let width = match (view, chip.units) {
        (PictureMedium::Html, Some(units)) => {
            return Block::Drawing(drawing(chip, usize::from(units), labeled));
        }
        (PictureMedium::Html, None) => WIDTHS[0],
        (PictureMedium::Letters(width), _) => width,
    };
    let mut lines: Vec<Line> = ruler(chip, width).into_iter().collect();
    lines.extend(labeled.iter().map(|drawn| gpu(chip, width, drawn)));
    lines.extend(more.map(|text| vec![(DIM, text)]));
    Block::Picture(lines)
}

/// Draws GPUs for a browser.
fn drawing(chip: &Chip<'_>, units: usize, labeled: &[LabeledGpu<'_>]) -> maud::Markup {
    let drawn = |instance: &Instance, exists| {
        let kind = &chip.kinds[instance.kind];
        Some(DrawnSlice {
            name: kind.name.to_owned(),
            kind: instance.kind,
            start: usize::from(instance.start?),
            size: usize::from(kind.size().unwrap_or(1)),
            exists,
        })
    };
    let all = labeled.iter().map(|gpu| {
        let existing = gpu.existing.iter().map(|instance| (instance, true));
        let placed = gpu.placed.iter().map(|instance| (instance, false));
        let slices = existing.chain(placed);
        DrawnGpu {
            label: gpu.label.clone(),
            slices: slices
                .filter_map(|(instance, exists)| drawn(instance, exists))
                .collect(),
        }
    });
    gpus("Slices of the GPUs", units, &all.collect::<Vec<_>>())
}

/// The line with the numbers of the units.
fn ruler(chip: &Chip<'_>, width: usize) -> Option<Line> {
    let units = usize::from(chip.units?);
    let width = width / units;
    let numbers: Vec<String> = (0..units).map(|unit| format!("{unit:<width$}")).collect();
    let line = format!("{:<LABEL$} {}", "start", numbers.concat().trim_end());
    Some(vec![(DIM, line)])
}

/// A GPU with a label: existing and placed instances.
fn gpu(chip: &Chip<'_>, width: usize, drawn: &LabeledGpu<'_>) -> Line {
    let LabeledGpu {
        label,
        existing,
        placed,
    } = drawn;
    let plain = |text: &str| (Style::new(), text.to_owned());
    let mut line = vec![plain(&format!("{label:<LABEL$} "))];
    let style = |instance: &Instance| {
        if existing.contains(instance) {
            return DIM;
        }
        let color = COLORS[instance.kind % COLORS.len()];
        AnsiColor::Black.on(color)
    };
    let instances: Vec<&Instance> = existing.iter().chain(*placed).collect();
    let Some(units) = chip.units.map(usize::from) else {
        // Positions are not published: only existing instances can be listed.
        for instance in instances {
            line.push((style(instance), chip.kinds[instance.kind].name.to_owned()));
            line.push(plain(" "));
        }
        return line;
    };
    let width = width / units;
    let mut unit = 0;
    while unit < units {
        let here = instances
            .iter()
            .find(|instance| instance.start.map(usize::from) == Some(unit));
        let (name, size, style) = match here {
            Some(instance) => {
                let kind = &chip.kinds[instance.kind];
                let size = usize::from(kind.size().unwrap_or(1));
                (kind.name, size, style(instance))
            }
            None => ("-", 1, DIM),
        };
        let room = width * size - 1;
        line.push(plain("|"));
        line.push((style, format!("{:<room$}", shortened(name, room))));
        unit += size;
    }
    line.push(plain("|"));
    line
}

/// A name shortened to this width: the memory is dropped first.
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
    fn shortens_names_without_losing_the_profile() {
        assert_eq!(shortened("1g.5gb", 7), "1g.5gb");
        assert_eq!(shortened("1g.10gb+me", 7), "1g+me");
        assert_eq!(shortened("1g.24gb+me.all", 14), "1g.24gb+me.all");
        assert_eq!(shortened("1g.24gb-me", 4), "1g-m");
    }
}
