/** The explanation of a position and its winning moves; during a match only if both players agreed to learn. */
import { fill, h } from "../../dom/build.js";
import { LegalMoves } from "../../play/legal_moves.js";
import { refusalText } from "../../words/refused.js";
import { t } from "../../words/words.js";
import { showExplanation } from "../teach/explanation.js";
import { compact } from "./layout.js";

/** @param {ShownMatch} view */
export function analysis(view) {
  const body = h("div.analysis-body");
  const element = h("details.panel.analysis", { hidden: true }, h("summary", h("h2", t("analysis.title"))), body);
  /** @type {Map<number, Analysis>} */
  const known = new Map();
  let requested = "";
  let unsupported = false;
  let ended = false;

  element.addEventListener("toggle", update);

  function update() {
    const { state, winning } = view;
    // Where a winning move is looked for, none is shown.
    const allowed = view.review.allowed && !unsupported && !view.trial?.points.length;
    element.hidden = !allowed;
    view.explained = allowed;
    if (state.phase === "over" && !ended && allowed) {
      ended = true;
      element.open = true;
    }
    // In a small window the sheet is the frame, and what it shows is open.
    if (compact()) element.open = true;
    const open = element.open && (!compact() || view.sheets.isOpen("analysis") || state.phase === "over");
    if (!view.review.allowed) winning.shown = false;
    if (!allowed) return;
    // The list of moves and the ship's computer know of a blunder also while the panel is closed.
    view.review.update();
    if (!open && !winning.shown) return;
    const version = shownVersion();
    const answer = known.get(version);
    if (answer) {
      if (open) showExplanation(body, answer, state.game, view.mine ? (move) => view.draft.propose(move) : undefined);
      if (winning.shown && !winning.moves) {
        winning.moves = new LegalMoves(answer.winning);
        view.refresh();
      }
    } else requestAnalysis(version);
  }

  function shownVersion() {
    const { followed, ply } = view;
    return ply === 0 ? (view.review.plies[0]?.version ?? 1) : followed.plies[ply - 1].version;
  }

  /** @param {number} version */
  function requestAnalysis(version) {
    const { page, followed, refresh } = view;
    if (requested === String(version)) return;
    requested = String(version);
    page.connection.request({ type: "analyse", match: followed.match, version }).then(
      (answer) => {
        known.set(version, answer);
        refresh();
      },
      (error) => {
        if (error.reason === "unknown-type") unsupported = true;
        fill(body, h("p.quiet", t("analysis.failed", { why: refusalText(error) })));
        refresh();
      },
    );
  }
  return { element, update };
}
