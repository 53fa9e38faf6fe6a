//! View of one catalog: everything that the screen derives from it.

use anstyle::Style;
use ratatui::layout::Rect;
use sky_accel_core::text::{counted, printable};
use sky_accel_engine::contract::OfferOut;
use sky_accel_engine::{Engine, Error, ModelsRequest, Money, OfferFilter, Result, Target};

use super::draw::{Areas, GUTTER, Scene, ScreenRow};
use super::listing::{Listing, RowKey};
use super::model::SizedModel;
use super::pane;
use super::query::Query;
use super::sort::Sort;
use super::state::{BrowseContext, Browser, Chosen, LiveQuery, View};
use crate::flags::with_flags;
use crate::present::ages::answered;
use crate::present::nearest::nothing_lines;
use crate::render::{Block, Line};
use crate::ui::{BOLD, DIM};

/// Columns of a model's figures before a row, with title and width, and their short form on narrow screens.
const OF_MODEL: [(&str, usize); 3] = [("FITS", 9), ("TOK/S", 7), ("USD/M TOK", 9)];
const OF_MODEL_NARROW: [(&str, usize); 3] = [("FREE", 4), ("", 0), ("USD/M TOK", 9)];
/// Minimum width of the rows, in columns, for all figures.
const ROOM_FOR_MODEL: u16 = 75;
/// Maximum number of suggested models.
const MODELS: usize = 50;

const KEYS: &[(&str, &str)] = &[
    ("Enter", "print"),
    ("Esc", "quit"),
    ("Tab", "mark"),
    ("^F", "model"),
    ("^P", "plan"),
    ("^S", "sort"),
    ("^R", "live prices"),
    ("^O", "reverse"),
    ("Shift-↓", "scroll"),
];
const KEYS_OF_MODEL: &[(&str, &str)] = &[
    ("Enter", "use the input"),
    ("↑↓", "select"),
    ("Tab", "complete the selected model"),
    ("Esc", "back"),
];
const KEYS_OF_PLAN: &[(&str, &str)] = &[
    ("←→", "other targets"),
    ("↓", "scroll"),
    ("Esc", "back"),
    ("Enter", "print the choice"),
];

/// Content of the pane, and its width.
#[derive(Clone, Debug, PartialEq)]
struct PaneOf {
    subject: PaneContent,
    /// Failure to show first.
    trouble: Option<String>,
    model: String,
    width: u16,
}

#[derive(Clone, Debug, PartialEq)]
enum PaneContent {
    /// Reasons why no row matches.
    Nothing(String),
    /// The selected offer, after the marked ones.
    Offer {
        selected: RowKey,
        marked: Vec<RowKey>,
    },
    /// Suggested models, and the index of the selected one.
    Models(String, usize),
    /// The plan for offers, and the index of its target.
    Plan { offers: Vec<RowKey>, target: usize },
}

/// A catalog with the browser's state applied.
pub struct CatalogView<'e> {
    engine: Engine<'e>,
    context: &'e BrowseContext<'e>,
    money: Money<'e>,
    /// All offers, computed on first use.
    everything: Option<Listing<'e>>,
    /// Offers of the spec; `None` if every offer is shown.
    of_spec: Option<Listing<'e>>,
    /// The last parsed query, and its text.
    text: Option<String>,
    query: Query,
    /// Reason why the query has no answer.
    problem: Option<String>,
    model: Option<SizedModel<'e>>,
    /// Indices of the visible rows in display order, and that order.
    shown: Vec<usize>,
    order: Option<Sort>,
    pane: (Option<PaneOf>, Vec<Line>),
    /// Number of rows on the screen.
    page: usize,
}

impl<'e> CatalogView<'e> {
    pub fn new(
        engine: &Engine<'e>,
        context: &'e BrowseContext<'e>,
        model: Option<SizedModel<'e>>,
    ) -> Self {
        let money = context.offers.money(&engine.catalog());
        Self {
            engine: *engine,
            context,
            money: money.unwrap_or(Money::DOLLARS),
            everything: None,
            of_spec: None,
            text: None,
            query: Query::default(),
            problem: None,
            model,
            shown: Vec::new(),
            order: None,
            pane: (None, Vec::new()),
            page: 1,
        }
    }

    /// Returns the live query for the current input.
    pub fn question(&self) -> LiveQuery {
        LiveQuery {
            spec: self.query.spec.clone(),
            providers: self.query.providers.clone(),
        }
    }

    /// Returns the filter of the current input: the typed providers that the command line's filter allows.
    ///
    /// # Errors
    ///
    /// If the filter allows none of the typed providers.
    pub fn asked(&self) -> Result<OfferFilter> {
        let (offers, typed) = (&self.context.offers, &self.query.providers);
        if typed.is_empty() {
            return Ok(offers.clone());
        }
        offers.only(&self.context.engine.catalog(), typed)
    }

    /// Returns the index of an offer among the rows.
    pub fn place(&self, key: &RowKey) -> Option<usize> {
        let mut rows = 0..self.shown.len();
        rows.find(|place| self.key(*place).as_ref() == Some(key))
    }

    /// Returns the number of rows on the screen.
    pub fn page(&self) -> usize {
        self.page
    }

    /// Returns the selected offer.
    pub fn key(&self, selected: usize) -> Option<RowKey> {
        self.offer(selected).map(RowKey::of)
    }

    /// Recomputes the view after a change of the browser's state.
    pub fn follow(&mut self, browser: &mut Browser<'_>) {
        let text = browser.input.value();
        if self.text.as_deref() != Some(text) {
            self.text = Some(text.to_owned());
            self.order = None;
            let query = Query::read(&self.engine, text);
            let is_same = query.spec == self.query.spec;
            self.query = query;
            if !is_same || self.listing().is_none() {
                self.problem = self.find().err().map(|error| error.to_string());
            }
        }
        let model = self.model.as_ref().map_or("", SizedModel::name);
        if model != browser.model
            && let Err(error) = self.size(&browser.model.clone())
        {
            browser.model.clear();
            browser.sort = browser.sort.without_model();
            browser.message = Some(error.to_string());
        }
        if self.order != Some(browser.sort) {
            self.shown = self.ordered(browser.sort);
            self.order = Some(browser.sort);
        }
        let last = self.shown.len().saturating_sub(1);
        browser.selected = browser.selected.min(last);
    }

    /// Resolves the spec.
    fn find(&mut self) -> Result<()> {
        self.of_spec = None;
        let spec = &self.query.spec;
        if !spec.is_empty() {
            self.of_spec = Some(Listing::find(&self.engine, &self.context.offers, spec)?);
        } else if self.everything.is_none() {
            self.everything = Some(Listing::find(&self.engine, &self.context.offers, "")?);
        }
        Ok(())
    }

    fn listing(&self) -> Option<&Listing<'e>> {
        if self.query.spec.is_empty() {
            self.everything.as_ref()
        } else {
            self.of_spec.as_ref()
        }
    }

    /// Sizes a model on every machine; an empty name removes the model.
    ///
    /// # Errors
    ///
    /// If the model or the run options are invalid.
    pub fn size(&mut self, model: &str) -> Result<()> {
        let context = self.context;
        self.order = None;
        self.model = if model.is_empty() {
            None
        } else {
            Some(SizedModel::size(
                &self.engine,
                &context.run,
                model,
                &context.offers,
            )?)
        };
        Ok(())
    }

    /// Returns suggested models, nearest first.
    pub fn models(&self, text: &str) -> Vec<String> {
        let text = text.trim();
        let request = ModelsRequest {
            filter: (!text.is_empty()).then(|| text.to_owned()),
            ..ModelsRequest::default()
        };
        let answer = self.engine.models(&request);
        let known = answer.envelope.results.iter();
        let mut known: Vec<String> = known.map(|model| model.id.to_owned()).collect();
        let text = text.to_lowercase();
        known.sort_by_key(|id| !id.to_lowercase().starts_with(&text));
        known.into_iter().chain(answer.near).take(MODELS).collect()
    }

    fn ordered(&self, sort: Sort) -> Vec<usize> {
        let Some(listing) = self.listing() else {
            return Vec::new();
        };
        let mut shown = listing.filtered(&self.query);
        if sort.is_best_first() {
            if sort.is_reversed() {
                shown.reverse();
            }
            return shown;
        }
        let row = |at: usize| {
            let offer = &listing.rows()[at];
            (
                offer,
                self.model.as_ref().and_then(|model| model.figures(offer)),
            )
        };
        let capacity_filter = self.context.offers.capacity_type;
        shown.sort_by(|a, b| sort.compare(row(*a), row(*b), capacity_filter));
        shown
    }

    fn offer(&self, place: usize) -> Option<&OfferOut<'e>> {
        let at = self.shown.get(place)?;
        self.listing()?.rows().get(*at)
    }

    /// Returns the choice: the marked offers, or else the selected offer.
    fn choice(&self, marked: &[RowKey], selected: usize) -> Vec<OfferOut<'e>> {
        let keys = if marked.is_empty() {
            self.key(selected).into_iter().collect()
        } else {
            marked.to_vec()
        };
        self.find_each(&keys)
    }

    /// Returns the targets that can rent the choice, and the targets that are not bound to a provider.
    pub fn targets(&self, marked: &[RowKey], selected: usize) -> Vec<Target> {
        let choice = self.choice(marked, selected);
        let providers: Vec<&str> = choice.iter().map(|offer| offer.provider).collect();
        self.engine.targets(&providers)
    }

    fn find_each(&self, keys: &[RowKey]) -> Vec<OfferOut<'e>> {
        let offers = &self.context.offers;
        let found = keys.iter().filter_map(|key| key.find(&self.engine, offers));
        found.collect()
    }

    /// Returns the document of the choice.
    ///
    /// # Errors
    ///
    /// A message, if nothing to choose or the input is not yet a valid spec.
    pub fn chosen(
        &mut self,
        marked: &[RowKey],
        selected: usize,
    ) -> std::result::Result<Chosen<'e>, String> {
        if let Some(problem) = self.query.problem.as_ref().filter(|_| marked.is_empty()) {
            return Err(problem.clone());
        }
        let mut results = self.choice(marked, selected);
        if results.is_empty() {
            return Err("nothing to choose".to_owned());
        }
        if results.len() < marked.len() {
            let found = results.len();
            return Err(format!(
                "only {found} of {} marked offers are in this answer",
                marked.len()
            ));
        }
        let mut specs: Vec<String> = Vec::new();
        for offer in &mut results {
            offer.spec = offer.exact_spec();
            offer.region_prices.clear();
            if !specs.contains(&offer.spec) {
                specs.push(offer.spec.clone());
            }
        }
        let listing = if self.query.spec.is_empty() {
            self.everything.take()
        } else {
            self.of_spec.take()
        };
        let Some(listing) = listing else {
            return Err("nothing to choose".to_owned());
        };
        let mut envelope = listing.answer.envelope;
        envelope.request.specs = specs;
        envelope.request.offers.limit = self.context.offers.limit;
        envelope.results = results;
        envelope.left_off = None;
        envelope.notes.clear();
        Ok(envelope)
    }

    /// Composes a screen of the given size.
    pub fn scene(&mut self, browser: &mut Browser<'_>, screen: Rect) -> Scene<'_> {
        let is_page = matches!(browser.view, View::Plan { .. });
        let areas = Areas::of(screen, self.shown.len(), is_page);
        if !is_page {
            self.page = usize::from(areas.rows.height).max(1);
            let last = self.shown.len().saturating_sub(self.page);
            let lowest = (browser.selected + 1).saturating_sub(self.page);
            browser.first = browser.first.min(last).min(browser.selected).max(lowest);
        }
        self.fill_pane(browser, areas.pane);
        let skipped = match &mut browser.view {
            View::Plan { skipped, .. } => skipped,
            View::Offers => &mut browser.skipped,
            // Keep the selected model visible.
            View::Model { selected, .. } => {
                browser.skipped = (*selected + 2).saturating_sub(areas.pane.height.into());
                &mut browser.skipped
            }
        };
        let most = self.pane.1.len().saturating_sub(areas.pane.height.into());
        *skipped = (*skipped).min(most);
        let skipped = *skipped;
        let (titles, rows) = if is_page {
            (String::new(), Vec::new())
        } else {
            self.rows(browser, areas.rows.width)
        };
        let (prompt, input, keys, scrolled_by) = match &browser.view {
            View::Offers => ("", browser.input.clone(), KEYS, ": Shift-↓"),
            View::Model { input, .. } => ("model", input.clone(), KEYS_OF_MODEL, ""),
            View::Plan { .. } => ("", browser.input.clone(), KEYS_OF_PLAN, ": ↓"),
        };
        Scene {
            prompt,
            input,
            state: self.state(browser),
            titles,
            rows,
            count: self.shown.len(),
            selected: browser.selected.saturating_sub(browser.first),
            pane: &self.pane.1,
            skipped,
            is_page,
            scrolled_by,
            keys,
            color: self.context.color,
        }
    }

    /// Returns the failure to show, if any.
    fn trouble<'t>(&'t self, browser: &'t Browser<'_>) -> Option<&'t str> {
        let trouble = browser.message.as_ref().or(self.problem.as_ref());
        trouble.or(self.query.problem.as_ref()).map(String::as_str)
    }

    /// Returns the status line: number of offers, order, and source of the answer; or a failure.
    fn state(&self, browser: &Browser<'_>) -> Line {
        if let Some(problem) = self.trouble(browser) {
            return vec![(BOLD, printable(&with_flags(problem)))];
        }
        if let View::Plan { target, .. } = browser.view {
            let targets = self.targets(&browser.marked, browser.selected);
            let what = targets
                .get(target)
                .map(|target| format!("plan for {}: {}", target.name(), target.about()));
            return vec![(BOLD, what.unwrap_or_default())];
        }
        let (shown, left_off) = match self.listing() {
            Some(listing) => (listing.rows().len(), listing.answer.envelope.left_off),
            None => (0, None),
        };
        let mut parts = vec![format!(
            "{} of {}",
            self.shown.len(),
            counted(shown, "offer")
        )];
        parts.extend(
            left_off
                .filter(|more| *more > 0)
                .map(|more| format!("{more} more not shown")),
        );
        if !browser.marked.is_empty() {
            parts.push(format!("{} marked", browser.marked.len()));
        }
        parts.push(browser.sort.name());
        parts.push(answered(&self.engine));
        parts.extend(self.model.as_ref().map(|model| printable(&model.heading)));
        vec![(DIM, parts.join(" · "))]
    }

    /// Returns the titles and the visible rows.
    fn rows(&mut self, browser: &Browser<'_>, width: u16) -> (String, Vec<ScreenRow>) {
        let of_model = if width < ROOM_FOR_MODEL {
            OF_MODEL_NARROW
        } else {
            OF_MODEL
        };
        let titles = of_model.map(|(title, _)| title.to_owned());
        let titles = self.model.as_ref().map(|_| beside(&titles, of_model));
        let titles = titles.unwrap_or_default();
        let width = width.saturating_sub(GUTTER + titles.len() as u16);
        let listing = if self.query.spec.is_empty() {
            &mut self.everything
        } else {
            &mut self.of_spec
        };
        if let Some(listing) = listing {
            listing.lay_out(width, &self.money);
        }
        let Some(table) = self.listing().and_then(Listing::table) else {
            return (String::new(), Vec::new());
        };
        let places = browser.first..self.shown.len().min(browser.first + self.page);
        let rows = places.filter_map(|place| {
            let (style, text) = table.row(self.shown[place])?;
            let offer = self.offer(place)?;
            let of_model = self
                .model
                .as_ref()
                .map(|model| beside(&model.cells(offer), of_model));
            Some(ScreenRow {
                line: vec![(Style::new(), of_model.unwrap_or_default()), (style, text)],
                is_marked: browser.marked.contains(&RowKey::of(offer)),
            })
        });
        let rows = rows.collect();
        (titles + &table.header(), rows)
    }

    /// Fills the pane, unless it is up to date.
    fn fill_pane(&mut self, browser: &Browser<'_>, area: Rect) {
        let selected = self.key(browser.selected);
        let subject = match (&browser.view, selected) {
            (View::Model { input, selected }, _) => {
                PaneContent::Models(input.value().to_owned(), *selected)
            }
            (View::Plan { target, .. }, selected) => PaneContent::Plan {
                offers: if browser.marked.is_empty() {
                    selected.into_iter().collect()
                } else {
                    browser.marked.clone()
                },
                target: *target,
            },
            (View::Offers, Some(selected)) => PaneContent::Offer {
                selected,
                marked: browser.marked.clone(),
            },
            (View::Offers, None) => PaneContent::Nothing(self.text.clone().unwrap_or_default()),
        };
        let pane = PaneOf {
            subject,
            trouble: self.trouble(browser).map(str::to_owned),
            model: browser.model.clone(),
            width: area.width,
        };
        if self.pane.0.as_ref() != Some(&pane) {
            let width = usize::from(area.width).max(1);
            let mut lines = Vec::new();
            // The status line has room only for the start of the message.
            if let Some(trouble) = pane.trouble.as_ref().filter(|text| text.len() > width) {
                lines = Block::Text(trouble.clone()).lines(Some(width)).0;
            }
            lines.extend(self.pane_lines(&pane.subject, width));
            self.pane.1 = lines;
            self.pane.0 = Some(pane);
        }
    }

    fn pane_lines(&self, subject: &PaneContent, width: usize) -> Vec<Line> {
        let plain = |lines: Vec<String>| lines.into_iter().map(Block::Text).collect();
        let blocks: Vec<Block> = match subject {
            PaneContent::Nothing(_) => plain(self.why_nothing()),
            PaneContent::Offer { selected, marked } => {
                let mut blocks = Vec::new();
                if let [_, _, ..] = &marked[..] {
                    let capacity_filter = self.context.offers.capacity_type;
                    let model = self.model.as_ref();
                    let offers = self.find_each(marked);
                    let context = (&self.money, capacity_filter, width);
                    blocks = pane::comparison(&offers, context, model);
                    blocks.push(Block::Text(String::new()));
                }
                if let Some(offer) = self.find_each(std::slice::from_ref(selected)).first() {
                    let model = self.model.as_ref();
                    blocks.extend(pane::details(&self.engine, offer, &self.money, model));
                }
                blocks.extend(self.failures());
                blocks
            }
            PaneContent::Models(text, selected) => {
                let models = self.models(text).into_iter().enumerate();
                let models = models.map(|(at, model)| {
                    let mark = if at == *selected { "> " } else { "  " };
                    format!("{mark}{model}")
                });
                plain(models.collect())
            }
            PaneContent::Plan { offers, target } => {
                let found = self.find_each(offers);
                let Some(target) = self.targets(offers, 0).get(*target).copied() else {
                    return Vec::new();
                };
                let planned = pane::plan(&self.engine, &found, &self.context.offers, target);
                let lines = planned.unwrap_or_else(|error: Error| vec![error.to_string()]);
                let lines = lines.into_iter();
                return lines
                    .map(|line| vec![(Style::new(), printable(&line))])
                    .collect();
            }
        };
        let blocks = blocks.into_iter();
        blocks
            .flat_map(|block| block.lines(Some(width)).0)
            .collect()
    }

    /// Lists the failures of the queried providers, equal causes once.
    fn failures(&self) -> Option<Block> {
        let error = Error::of_live(self.engine.live()?)?.condensed();
        let failures = error.problems.into_iter();
        let failures = failures.map(|problem| ("failed".to_owned(), problem.message));
        Some(Block::Items(failures.collect()))
    }

    /// Explains why no row matches.
    fn why_nothing(&self) -> Vec<String> {
        let Some(listing) = self.listing() else {
            return Vec::new();
        };
        if self.query.is_unreadable() {
            return self.query.problem.iter().cloned().collect();
        }
        if !listing.rows().is_empty() {
            let words = &self.query.words;
            let words = (!words.is_empty()).then(|| format!("contains '{words}'"));
            let providers = &self.query.providers;
            let of =
                (!providers.is_empty()).then(|| format!("is sold by {}", providers.join(" or ")));
            let parts: Vec<String> = of.into_iter().chain(words).collect();
            return vec![format!("no offer {}", parts.join(" and "))];
        }
        if let Some(too_old) = &listing.answer.too_old {
            return vec![with_flags(&too_old.to_string()).into_owned()];
        }
        let envelope = &listing.answer.envelope;
        let mut lines = nothing_lines(
            format!("no offer matches {}", envelope.request.specs.join("|")),
            &envelope.funnel,
            &envelope.nearest,
            self.context.offers.capacity_type,
            &self.money,
            None,
        );
        lines.push("^R queries the providers for stock".to_owned());
        lines
    }
}

/// Formats a model's figures before a row; narrow cells show only the first word.
fn beside(cells: &[String; 3], columns: [(&str, usize); 3]) -> String {
    let cells = cells
        .iter()
        .zip(columns)
        .filter(|(_, (_, width))| *width > 0);
    let cells = cells.map(|(cell, (_, width))| {
        let first = cell.split(' ').next().unwrap_or_default();
        let cell = if cell.len() > width { first } else { cell };
        format!("{cell:>width$}  ")
    });
    cells.collect::<Vec<_>>().concat()
}
