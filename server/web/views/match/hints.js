/**
 * The help of a match for learning, on one's own turn: a hint, which names the part and, asked again, the move; why
 * the position is won or lost; and a move that is tried, answered and taken back.
 */
import { announce } from "../../dom/announce.js";
import { h } from "../../dom/build.js";
import { Study } from "../../play/study.js";
import { naming } from "../../words/moves.js";
import { t } from "../../words/words.js";
import { rowName } from "../teach/lamps.js";
import { Trial } from "./trial.js";

/** The parts that moves name, where no step of the argument does: the notation, and the part's kind. */
const PARTS = /** @type {const} */ ([
  [/^(\d+): /, "component"],
  [/ from (\d+)$/, "heap"],
  [/^turn (\d+)/, "head"],
  [/^cut \d+-(\d+)$/, "vertex"],
]);

/** Returns which part the winning move is in. @param {StudyAnswer} answer */
function partOf({ steps, best = "" }) {
  const reply = steps.find(({ step, move }) => step === "reply" && move === best);
  if (reply && reply.part.kind !== "head") return rowName(reply.part);
  for (const [notation, kind] of PARTS) {
    const [, number] = notation.exec(best) ?? [];
    if (number && kind === "vertex") return t("step.vertex", { vertex: number });
    if (number) return rowName({ kind, number, size: number });
  }
  const heaps = /^take ([\d,]+)$/.exec(best)?.[1].split(",") ?? [];
  const taken = heaps.map((count, index) => (count === "0" ? "" : rowName({ kind: "heap", number: index + 1 })));
  return new Intl.ListFormat(t("locale")).format(taken.filter(Boolean));
}

/**
 * The button for a try stands after `before`. It is busy while a move is chosen, or a question is asked.
 * @type {(view: ShownMatch, before: HTMLElement, busy: () => boolean) => Part}
 */
export function hints(view, before, busy) {
  const hint = h("button.small.hint", { onclick: give }, t("teach.hint"));
  const why = h("button.small.why", { onclick: explain }, t("teach.why"));
  const attempt = h("button.try-move", { onclick: tryMove }, t("teach.try"));
  const element = h("div.row.teach", hint, why);
  before.after(attempt);
  /** @type {Study | null} */
  let study = null;
  /** How often a hint was asked for, and in which position. */
  let asked = { position: "", count: 0 };

  async function give() {
    const { state, page } = view;
    study ??= new Study(page.connection, state.game);
    const { position } = state;
    asked = { position, count: asked.position === position ? asked.count + 1 : 1 };
    try {
      const answer = await study.ask(position);
      if (view.state.position === position) tell(wordsOf(answer));
    } catch (error) {
      view.refuse(/** @type {Error} */ (error));
    }
  }

  /** @param {StudyAnswer} answer */
  function wordsOf(answer) {
    const { outcome, best, position } = answer;
    if (!best) return t(outcome === "P" ? "teach.lost" : "teach.unknown");
    const part = asked.count < 2 ? partOf(answer) : "";
    return part ? t("teach.part", { part }) : t("teach.move", { move: naming(best, position) });
  }

  /** @param {string} words */
  function tell(words) {
    view.note = words;
    announce(words, true);
    view.refresh();
  }

  function explain() {
    view.sheets.open("analysis");
    /** @type {HTMLDetailsElement | null | undefined} */
    const panel = element.closest(".match")?.querySelector(".analysis");
    if (!panel) return;
    panel.open = true;
    panel.scrollIntoView({ block: "nearest" });
    panel.querySelector("summary")?.focus({ preventScroll: true });
  }

  function tryMove() {
    const { move } = view.draft;
    if (!move) return;
    view.trial = new Trial(view, []);
    view.trial.once(move);
    view.refresh();
  }

  function update() {
    const chosen = busy();
    const helps = !!view.state.learning && view.mine && !view.trial;
    element.hidden = !helps || chosen;
    attempt.hidden = !helps || !chosen;
    attempt.disabled = view.draft.sending;
  }
  return { element, update };
}
