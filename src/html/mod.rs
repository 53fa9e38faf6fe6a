//! Parts of HTML pages: the frame, messages in plain words, and pictures as SVG. All text is escaped.

mod axis;
mod frame;
mod history;
mod memory;
mod scatter;
mod slices;
mod words;

use maud::{Markup, html};
use sky_accel_core::text::{is_web_address, printable};

pub use self::frame::DocumentFrame;
pub use self::history::{PricedQuarter, price_history};
pub use self::memory::memory_bar;
pub use self::scatter::{Dot, Scatter};
pub use self::slices::{DrawnGpu, DrawnSlice, gpus};
pub use self::words::{field_in_words, in_words, title_in_words};

/// The style of all parts.
pub const STYLE: &str = include_str!("style.css");
/// The script that sorts tables and moves the focus between dots: the function `enhance(root)`.
pub const SCRIPT: &str = include_str!("page.js");

/// Renders a text that leads to a page of the web. Other addresses are left out.
pub fn linked(text: &str, url: Option<&str>) -> Markup {
    if let Some(url) = url.filter(|url| is_web_address(url)) {
        html! { a href=(printable(url)) rel="noopener noreferrer" { (text) } }
    } else {
        html! { (text) }
    }
}

/// A picture with its caption. Pictures that are wider than the screen scroll.
fn picture(label: &str, caption: &str, drawing: &Markup) -> Markup {
    html! {
        figure class="picture" {
            div class="scroll" role="region" aria-label=(label) tabindex="0" { (drawing) }
            figcaption { (caption) }
        }
    }
}
