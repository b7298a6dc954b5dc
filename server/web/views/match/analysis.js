/**
 * The analysis panel: the explanation of a position, its winning moves, and the plot of the whole match. All of it
 * comes from the server, and during a match only if both players agreed to learn.
 *
 * @import { Analysis, ReviewPly } from "../../wire/types.js"
 * @import { ShownMatch } from "../match.js"
 */
import { check, fill, h } from "../../dom/build.js";
import { LegalMoves } from "../../play/legal_moves.js";
import { refusalText } from "../../words/refused.js";
import { t } from "../../words/words.js";
import { showExplanation } from "./explanation.js";
import { compact } from "./layout.js";
import { givenAway } from "./moves.js";
import { plot } from "./plot.js";

/** @param {ShownMatch} view */
export function analysis(view) {
  const body = h("div.analysis-body");
  const curve = h("div.curve.awaited");
  const show = h("input", { type: "checkbox", checked: true });
  const element = h(
    "details.panel.analysis",
    { hidden: true },
    h("summary", h("h2", t("analysis.title"))),
    curve,
    check(show, t("analysis.show")),
    body,
  );
  /** @type {Map<number, Analysis>} */
  const known = new Map();
  /** @type {ReviewPly[]} */
  let reviewed = [];
  let reviewedAt = 0;
  let requested = "";
  let unsupported = false;
  let ended = false;

  element.addEventListener("toggle", update);
  show.addEventListener("change", () => (update(), view.refresh()));

  function update() {
    const { state, followed, winning } = view;
    const allowed = (state.phase === "over" || (state.phase === "playing" && !!state.learning)) && !unsupported;
    element.hidden = !allowed;
    if (state.phase === "over" && !ended && allowed) {
      ended = true;
      element.open = true;
    }
    // In a small window the sheet is the frame, and what it shows is open.
    if (compact()) element.open = true;
    const open = element.open && (!compact() || view.sheets.isOpen("analysis") || state.phase === "over");
    winning.shown = allowed && open && show.checked;
    if (!allowed) return;
    // The list of moves and the ship's computer know of a blunder also while the panel is closed.
    if (reviewedAt !== followed.version) review();
    if (!open) return;
    const version = shownVersion();
    const answer = known.get(version);
    if (answer) {
      showExplanation(body, answer, view);
      if (winning.shown && !winning.moves) {
        winning.moves = new LegalMoves(answer.winning);
        view.refresh();
      }
    } else requestAnalysis(version);
    // A review also walks moves that were taken back, and the positions after a takeback.
    const versions = new Set(followed.plies.map(({ version }) => version));
    const shown = reviewed.filter(({ version }, index) => index === 0 || versions.has(version));
    plot(curve, shown, view);
  }

  function shownVersion() {
    const { followed, ply } = view;
    return ply === 0 ? (reviewed[0]?.version ?? 1) : followed.plies[ply - 1].version;
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

  function review() {
    const { page, followed, refresh } = view;
    reviewedAt = followed.version;
    page.connection.request({ type: "review", match: followed.match }).then(
      (answer) => {
        reviewed = answer.plies;
        curve.classList.remove("awaited");
        const bad = reviewed.filter(({ gave_away: gaveAway }) => gaveAway);
        givenAway.set(followed, new Set(bad.map(({ version }) => version)));
        // After a snapshot, earlier plies have no positions; the review has them.
        for (const { version, position } of reviewed) {
          const ply = followed.plies.find((ply) => ply.version === version);
          if (ply) ply.position ??= position;
        }
        refresh();
      },
      () => curve.classList.remove("awaited"),
    );
  }
  return { element, update };
}
