/** The picture of the position. Its choices become the chosen move. */
import { changes, h, say, set } from "../../dom/build.js";
import { afterPaint } from "../../dom/frames.js";
import { picture as pictureOf } from "../../pictures/pictures.js";
import { NONE } from "../../play/legal_moves.js";
import { enter, roving } from "../../play/roving_focus.js";
import { t } from "../../words/words.js";
import { compact } from "./layout.js";

const PIECES = ":scope > :is(.heaps-picture, .row-picture), .sum-large > :is(.heaps-picture, .row-picture)";
/** The scales that are tried, largest first; only coins shrink. */
const SCALES = [4.4, 3.8, 3.3, 2.8, 2.4, 2.1, 1.85, 1.6, 1.4, 1.2, 1, 0.92, 0.84, 0.76, 0.68, 0.6, 0.5, 0.42];

/** @param {ShownMatch} view */
export function board(view) {
  const goal = h("p.goal");
  const marks = h(
    "button.small.marks",
    { role: "switch", "aria-label": t("analysis.show"), onclick: () => view.mark(!view.winning.shown) },
    h("span", t("analysis.show")),
  );
  const element = h("div.stage", { tabindex: -1, role: "group", "aria-label": t("choice.position") }, goal, marks);
  /** @type {Picture | null} */
  let picture = null;
  const fitting = fit(element);

  roving(element, () => view.choosing);

  // Choices come and go, some only at the end of an animation. A focus that was on a choice stays on the board
  // meanwhile and returns to a choice as soon as there is one; after the paint, because a focus needs the layout.
  const returning = afterPaint(() => {
    if (document.activeElement !== element) return;
    element.querySelector("[data-move][tabindex='0']:not(:disabled)")?.focus({ preventScroll: true });
  });
  new MutationObserver(() => {
    enter(element);
    if (document.activeElement === element) returning.request();
  }).observe(element, { subtree: true, childList: true, attributeFilter: ["data-move"] });

  function update() {
    const { draft } = view;
    const before = document.activeElement;
    const inside = element.contains(before);
    // A focus that is about to be lost goes to the board while nothing has changed yet; afterwards the browser would
    // have to lay the page out for it, twice.
    const heldMove = inside && before?.getAttribute("data-move");
    const choices = draft.sending ? NONE : view.legal;
    if (heldMove && !choices.allows(heldMove)) element.focus({ preventScroll: true });
    show(choices);
    // The focused element may be removed or no longer a choice, which the browser notices only later.
    const active = document.activeElement;
    const held =
      active && element.contains(active) && active.matches("[data-move]:not(:disabled), input:not(:disabled)");
    if (inside && !held) element.focus({ preventScroll: true });
  }

  /** @param {LegalMoves} legal */
  function show(legal) {
    const { state, played, trial, draft, chooses, winning, misere } = view;
    const ply = trial ? played.plies.length : view.ply;
    const words = t(misere ? "goal.misere" : state.game === "fib-fob" ? "goal.ship" : "goal.normal");
    // The head of a small window has no room for it.
    say(goal, state.learning && compact() ? `${words} · ${t("match.learning")}` : words);
    marks.hidden = !view.review.allowed || !!trial;
    set(marks, { "aria-checked": String(winning.shown) });
    goal.classList.toggle("is-misere", misere);
    if (!picture) {
      picture = pictureOf(state.game);
      element.append(picture.element);
    }
    picture.update({
      position: played.position(ply) ?? state.position,
      start: state.start,
      ghost: chooses ? draft.ghost : null,
      chosen: chooses ? draft.move : null,
      last: ply > 0 ? (played.plies[ply - 1]?.move ?? null) : null,
      before: ply > 0 ? played.position(ply - 1) : null,
      legal,
      winning: winning.shown && !trial ? winning.moves : null,
      propose: (move) => view.choosing.propose(move),
    });
    fitting.update();
    enter(element);
    element.classList.toggle("past", !view.live && !trial);
    element.classList.toggle("mine", chooses);
  }
  const leave = () => {
    returning.stop();
    fitting.stop();
  };
  return { element, update, leave };
}

/**
 * Keeps pictures made of pieces fitting: coins, turtles and pins are as large as the window allows, so that a row of
 * them neither leaves a large window empty nor is cut off in a small one. Pictures that are one drawing fit by
 * themselves.
 * @param {HTMLElement} stage
 */
function fit(stage) {
  const isOtherSize = changes();
  /** @type {HTMLElement | null} */
  let last = null;

  function update() {
    const pieces = /** @type {HTMLElement | null} */ (stage.querySelector(PIECES));
    if (!pieces || !stage.isConnected) return;
    if (!isOtherSize(stage.clientWidth, stage.clientHeight) && pieces === last) return;
    last = pieces;
    // Turtles, pins and the links between pins stay as large as a finger; coins have a stepper besides.
    const shrinks = pieces.classList.contains("heaps-picture");
    const scales = SCALES.filter((scale) => shrinks || scale >= 1);
    const [frame, row] = /** @type {Element[]} */ ([pieces.parentElement, pieces.firstElementChild]);
    const top = (/** @type {Element | null} */ piece) => piece?.getBoundingClientRect().top;
    /** Applies the largest scale at which the pieces fit. @param {boolean} oneLine   whether they may not wrap */
    const apply = (oneLine) =>
      scales.some((scale) => {
        pieces.style.setProperty("--fit", String(scale));
        const fits = frame.scrollHeight <= frame.clientHeight && frame.scrollWidth <= frame.clientWidth;
        return fits && !(oneLine && top(row.firstElementChild) !== top(row.lastElementChild));
      });
    // Without wrapping, "to its left" is what one sees.
    const found = apply(pieces.classList.contains("row-picture")) || apply(false);
    if (!found) pieces.style.setProperty("--fit", String(scales.at(-1)));
  }

  const observer = new ResizeObserver(update);
  observer.observe(stage);
  return { update, stop: () => observer.disconnect() };
}
