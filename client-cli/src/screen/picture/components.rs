//! The components of a sum, each under its number, side by side where there is room.

use fibfob_games::ShapePart;
use ratatui::text::{Line, Span};

use super::{Detail, Picture};
use crate::screen::stack::{Stack, StackForm};
use crate::screen::text::{shorten, width};
use crate::screen::theme::{StyleRole, Theme};
use fibfob_theory::wrap;

/// The minimum width of a component beside another one.
const COLUMNS_MIN: u16 = 24;

/// The columns between two components.
const GAP: u16 = 2;

struct Component {
    heading: String,
    picture: Picture,
}

/// A game's title and the shape of its position.
type TitledShape = (&'static str, Vec<ShapePart>);

fn list_components(
    all: &[TitledShape],
    before: &[TitledShape],
    start: &[TitledShape],
) -> Vec<Component> {
    let component = |(index, (title, shape)): (usize, &TitledShape)| {
        let [earlier, first] =
            [before, start].map(|sum| sum.get(index).map_or(shape, |(_, it)| it));
        Component {
            heading: format!("{}: {title}", index + 1),
            picture: Picture {
                now: shape.clone(),
                before: earlier.clone(),
                start: first.clone(),
                unread: None,
            },
        }
    };
    all.iter().enumerate().map(component).collect()
}

/// Returns the components in the arrangement with the fewest rows.
pub fn rows(
    [now, before, start]: [&[TitledShape]; 3],
    columns: u16,
    detail: Detail,
    theme: Theme,
) -> Vec<Line<'static>> {
    let components = list_components(now, before, start);
    if detail == Detail::Text {
        let texts = components.iter().map(|it| it.text(columns.into(), theme));
        return texts.flatten().collect();
    }
    let arranged = (1..=components.len()).filter_map(|across| {
        let across = u16::try_from(across).ok()?;
        let each = columns.saturating_sub(GAP * (across - 1)) / across;
        (across == 1 || each >= COLUMNS_MIN)
            .then(|| beside_each_other(&components, across, each, theme))
    });
    arranged.min_by_key(Vec::len).unwrap_or_default()
}

fn beside_each_other(
    components: &[Component],
    across: u16,
    each: u16,
    theme: Theme,
) -> Vec<Line<'static>> {
    let mut rows = Vec::new();
    for group in components.chunks(across.into()) {
        let drawn: Vec<_> = group.iter().map(|it| it.rows(each, theme)).collect();
        let height = drawn.iter().map(Vec::len).max().unwrap_or(0);
        for row in 0..height {
            let mut line = Line::default();
            for (index, block) in drawn.iter().enumerate() {
                let begin = index * usize::from(each + GAP);
                line.push_span(" ".repeat(begin.saturating_sub(line.width())));
                line.extend(block.get(row).cloned().unwrap_or_default());
            }
            rows.push(line);
        }
    }
    rows
}

impl Component {
    fn heading(&self, columns: usize, theme: Theme) -> Line<'static> {
        let text = shorten(&self.heading, columns);
        theme.line(text, self.role(StyleRole::Strong))
    }

    fn role(&self, unchanged: StyleRole) -> StyleRole {
        match self.picture.now != self.picture.before {
            true => StyleRole::Trail,
            false => unchanged,
        }
    }

    fn rows(&self, columns: u16, theme: Theme) -> Vec<Line<'static>> {
        let mut rows = vec![self.heading(columns.into(), theme)];
        let stack = self.picture.stack(StackForm::TOWER, None, theme);
        rows.extend(stack.iter().flat_map(Stack::rows));
        rows.extend(self.picture.draw_rows(columns, Detail::Full, theme));
        let wide = rows.iter().any(|row| row.width() > usize::from(columns));
        match wide {
            true => self.text(columns.into(), theme),
            false => rows,
        }
    }

    fn text(&self, columns: usize, theme: Theme) -> Vec<Line<'static>> {
        let drawn = self.picture.draw_rows(u16::MAX, Detail::Text, theme);
        let drawn = drawn.iter().map(ToString::to_string);
        let words: Vec<String> = self.picture.ship_text().into_iter().chain(drawn).collect();
        let heading = self.heading(columns, theme);
        let style = theme.style(self.role(StyleRole::Plain));
        let text = words.join("   ");
        if heading.width() + 2 + width(&text) <= columns {
            let text = Span::styled(format!("  {text}"), style);
            return vec![Line::from_iter(heading.spans.into_iter().chain([text]))];
        }
        let lines = wrap(&text, columns.saturating_sub(2)).into_iter();
        let lines = lines.map(|line| Line::styled(format!("  {line}"), style));
        [heading].into_iter().chain(lines).collect()
    }
}
