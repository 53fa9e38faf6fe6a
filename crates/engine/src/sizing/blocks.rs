//! Layouts of FP8 files in blocks: serving engines start only if every device has whole blocks.

use sky_accel_core::sizing::{GivenLayout, Indivisible, Layout, divides, divides_blocks};

use super::run::ModelRun;

/// The format whose files may be in blocks.
const FORMAT: &str = "fp8";

/// The width of the blocks that a run must keep whole; `None` without blocks.
fn block_of(work: &ModelRun) -> Option<u32> {
    let run = &work.run;
    let serves = run.engine.needs_whole_blocks() && !run.workload.is_training();
    work.model
        .fp8_block
        .filter(|_| serves && work.precision == FORMAT)
}

/// Removes layouts that cut blocks. Where the experts can be whole, each device gets some of them instead.
pub(super) fn keep_whole_blocks(
    work: &ModelRun,
    given: &GivenLayout,
    layouts: Vec<Layout>,
) -> Result<Vec<Layout>, Indivisible> {
    let Some(block) = block_of(work) else {
        return Ok(layouts);
    };
    let shape = &work.model.shape;
    let whole = |layout: &Layout| {
        divides(shape, layout).and_then(|()| divides_blocks(shape, layout, block))
    };
    let mut why = None;
    let mut kept: Vec<Layout> = Vec::with_capacity(layouts.len());
    for layout in layouts {
        let spread = Layout {
            expert: layout.tensor,
            ..layout
        };
        let found = match whole(&layout) {
            Ok(()) => layout,
            Err(_) if given.expert.is_none() && whole(&spread).is_ok() => spread,
            Err(error) => {
                why = why.or(Some(error));
                continue;
            }
        };
        if !kept.contains(&found) {
            kept.push(found);
        }
    }
    match why {
        Some(error) if kept.is_empty() => Err(error),
        // Where fewer devices share a matrix than could, all ranks of a server can at least share the experts.
        Some(_) if given.expert.is_none() => {
            let spread = kept.iter().map(|layout| Layout {
                expert: layout.tensor.saturating_mul(layout.data),
                ..*layout
            });
            let is_new = |layout: &Layout| {
                let is_spread = layout.data > 1 && layout.pipeline == 1 && layout.expert > 1;
                is_spread && whole(layout).is_ok() && !kept.contains(layout)
            };
            let spread: Vec<Layout> = spread.filter(is_new).collect();
            kept.extend(spread);
            Ok(kept)
        }
        _ => Ok(kept),
    }
}
