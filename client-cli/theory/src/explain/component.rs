//! Components of a sum: each with its own explanation below it.

use fibfob_games::{ExplanationStep, Nimber};

use super::{ExplanationWriter, Scope};

impl ExplanationWriter {
    /// Writes a component with its explanation, indented; other steps write nothing.
    pub(super) fn component(&mut self, step: &ExplanationStep) {
        let ExplanationStep::Component {
            number,
            game,
            position,
            nimber,
            explanation,
        } = step
        else {
            return;
        };
        let value = match nimber {
            Nimber::Known(value) => format!("nimber {value}"),
            Nimber::Unknown(why) => format!("nimber unknown: {why}"),
            Nimber::None => "a misère position has no nimber".to_owned(),
        };
        self.line(format!("component {number}: {game} {position}: {value}"));
        for line in Self::of(explanation, Scope::Component).lines {
            self.line(format!("  {line}"));
        }
    }
}
