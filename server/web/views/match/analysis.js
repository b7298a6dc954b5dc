/**
 * Why a position is won or lost: the parts' nimbers in binary, their xor, the winning moves, and the whole match as a
 * plot. Everything is the server's answer; this file only lays it out. Never during a match that was not agreed for it.
 *
 * @typedef {import("../match.js").Table} Table
 * @typedef {import("../../wire/types.js").Analysis} Analysis
 * @typedef {import("../../wire/types.js").ReviewPly} ReviewPly
 */
import { fill, h } from "../../dom/build.js";
import { Legal } from "../../play/legal_moves.js";
import { refused } from "../../words/refused.js";
import { t } from "../../words/words.js";
import { explained } from "./explanation.js";
import { given_away } from "./moves.js";
import { plot } from "./plot.js";

export function analysis() {
  const body = h("div.analysis-body");
  const curve = h("div.curve.awaited");
  const show = h("input", { type: "checkbox", checked: true });
  const element = h(
    "details.panel.analysis",
    { hidden: true },
    h("summary", null, h("h2", null, t("analysis.title"))),
    curve,
    h("label.check", null, show, h("span", null, t("analysis.show"))),
    body,
  );
  /** @type {Map<number, Analysis>} */
  const known = new Map();
  /** @type {ReviewPly[]} */
  let reviewed = [];
  let reviewed_at = 0;
  let asking = "";
  let absent = false;
  let ended = false;
  /** @type {Table | null} */
  let table = null;

  element.addEventListener("toggle", () => table && update(table));
  show.addEventListener("change", () => table && (update(table), table.refresh()));

  /** @param {Table} next */
  function update(next) {
    table = next;
    const { state, follow, winning } = next;
    const allowed = (state.phase === "over" || (state.phase === "playing" && !!state.learning)) && !absent;
    element.hidden = !allowed;
    if (state.phase === "over" && !ended && allowed) {
      ended = true;
      element.open = true;
    }
    winning.shown = allowed && element.open && show.checked;
    if (!allowed || !element.open) return;
    const version = version_of(next);
    const answer = known.get(version);
    if (answer) {
      explained(body, answer, next);
      if (winning.shown && !winning.moves) {
        winning.moves = new Legal(answer.winning);
        next.refresh();
      }
    } else ask(next, version);
    if (reviewed_at !== follow.version) review(next);
    plot(curve, reviewed, next);
  }

  /** @param {Table} at */
  function version_of({ follow, ply }) {
    const reviewed_version = ply === 0 ? reviewed[0]?.version : undefined;
    return ply === 0 ? (reviewed_version ?? 1) : follow.plies[ply - 1].version;
  }

  /**
   * @param {Table} at
   * @param {number} version
   */
  function ask(at, version) {
    const { page, follow, refresh } = at;
    if (asking === String(version)) return;
    asking = String(version);
    page.line.request({ type: "analyse", match: follow.match, version }).then(
      (answer) => {
        known.set(version, answer);
        refresh();
      },
      (why) => {
        if (why.reason === "unknown-type") absent = true;
        fill(body, h("p.quiet", null, t("analysis.failed", { why: refused(why) })));
        refresh();
      },
    );
  }

  /** @param {Table} at */
  function review({ page, follow, refresh }) {
    reviewed_at = follow.version;
    page.line.request({ type: "review", match: follow.match }).then(
      (answer) => {
        reviewed = answer.plies;
        curve.classList.remove("awaited");
        given_away.set(follow, new Set(reviewed.filter(({ gave_away }) => gave_away).map(({ version }) => version)));
        // A viewer who came late by a snapshot was told moves without positions.
        for (const { version, position } of reviewed) {
          const ply = follow.plies.find((ply) => ply.version === version);
          if (ply) ply.position ??= position;
        }
        refresh();
      },
      () => curve.classList.remove("awaited"),
    );
  }
  return { element, update };
}
