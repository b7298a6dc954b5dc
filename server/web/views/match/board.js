/**
 * The picture of the position, and the way choices in it become the choice.
 *
 * @typedef {import("../match.js").Table} Table
 */
import { h } from "../../dom/build.js";
import { picture as picture_of } from "../../pictures/pictures.js";
import { Legal } from "../../play/legal_moves.js";
import { enter, roving } from "../../play/roving_focus.js";
import { t } from "../../words/words.js";

const NONE = new Legal([]);

export function stage() {
  const element = h("div.stage", { tabindex: -1, role: "group", "aria-label": t("choice.position") });
  /** @type {import("../../pictures/picture.js").Picture | null} */
  let picture = null;
  /** @type {Table | null} */
  let table = null;
  let version = -1;
  let legal = NONE;

  roving(element, {
    choose: (move) => table?.choice.choose(move),
    propose: (move) => table?.choice.propose(move),
    clear: () => table?.choice.clear(),
  });

  // Choices come and go, some only when a movement has ended. Whoever was among them by keyboard waits on the stage
  // and is back among them as soon as there are any.
  new MutationObserver(() => {
    enter(element);
    if (document.activeElement === element) {
      element.querySelector("[data-move][tabindex='0']:not(:disabled)")?.focus({ preventScroll: true });
    }
  }).observe(element, { subtree: true, childList: true, attributeFilter: ["data-move"] });

  /** @param {Table} next */
  function update(next) {
    const inside = element.contains(document.activeElement);
    show(next);
    // What is focused may have stopped being a choice, or have gone; a browser notices that only later.
    const active = document.activeElement;
    const held =
      active && element.contains(active) && active.matches("[data-move]:not(:disabled), input:not(:disabled)");
    if (inside && !held) element.focus({ preventScroll: true });
  }

  /** @param {Table} next */
  function show(next) {
    table = next;
    const { state, follow, ply, choice, mine, winning } = next;
    if (!picture) {
      picture = picture_of(state.game);
      element.append(picture.element);
    }
    if (version !== follow.version) {
      version = follow.version;
      legal = new Legal(state.legal ?? []);
    }
    picture.update({
      position: follow.position(ply) ?? state.position,
      start: state.start,
      ghost: mine ? choice.ghost : null,
      chosen: mine ? choice.move : null,
      last: ply > 0 ? (follow.plies[ply - 1]?.move ?? null) : null,
      legal: mine && !choice.sending ? legal : NONE,
      winning: winning.shown ? winning.moves : null,
      propose: (move) => choice.propose(move),
    });
    enter(element);
    element.classList.toggle("past", !next.live);
    element.classList.toggle("mine", mine);
  }
  return { element, update };
}
