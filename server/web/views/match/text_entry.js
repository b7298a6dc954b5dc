/**
 * The position as text, a move as text, and every legal move as a list: the ways in that need no picture.
 *
 * @typedef {import("../match.js").Table} Table
 */
import { announce } from "../../dom/announce.js";
import { fill, h } from "../../dom/build.js";
import { icon } from "../../dom/icons.js";
import { move_list } from "../../pictures/move_list.js";
import { Legal } from "../../play/legal_moves.js";
import { roving } from "../../play/roving_focus.js";
import { t } from "../../words/words.js";
import { copy } from "./share.js";

const NONE = new Legal([]);

export function typed() {
  const text = h("code");
  /** The start in the same place, unseen: positions mostly become shorter, and what stands below stays where it is. */
  const room = h("code.room", { "aria-hidden": "true" });
  const position = h("div.position", null, text, room);
  const copier = h(
    "button.small.icon",
    {
      type: "button",
      "aria-label": t("choice.copy"),
      title: t("choice.copy"),
      onclick: () => copy(text.textContent),
    },
    icon("copy"),
  );
  const field = h("input", {
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
    "aria-label": t("choice.typed"),
    placeholder: t("choice.typed"),
  });
  const fault = h("p.fault", { role: "alert" });
  const go_button = h("button", null, t("choice.typed_go"));
  const form = h(
    "form.typed.row",
    { onsubmit: (/** @type {Event} */ event) => (event.preventDefault(), go()) },
    field,
    go_button,
  );
  const list = move_list();
  const all = h("details.all-moves", null, h("summary", null, t("choice.all")), list.element);
  const element = h(
    "section.panel.typed-panel",
    null,
    h("h2", null, t("choice.position")),
    h("div.row.position-row", null, position, copier),
    form,
    fault,
    all,
  );
  /** @type {Table | null} */
  let table = null;

  roving(list.element, {
    choose: (move) => table?.choice.choose(move),
    propose: (move) => table?.choice.propose(move),
    clear: () => table?.choice.clear(),
  });

  function go() {
    const move = field.value.trim().replace(/\s+/g, " ");
    if (!move || !table) return;
    fill(fault);
    // The server reads more tolerantly than this list; it has the last word.
    if (new Legal(table.state.legal ?? []).allows(move)) table.choice.propose(move);
    else {
      fill(fault, t("choice.typed_wrong", { move }));
      announce(t("choice.typed_wrong", { move }), true);
      return;
    }
    if (!table.choice.move) field.value = "";
  }

  /** @param {Table} next */
  function update(next) {
    table = next;
    const { state, follow, ply, choice, mine } = next;
    text.textContent = follow.position(ply) ?? "…";
    room.textContent = state.start;
    // For players the ways in keep their place while the other one moves.
    form.hidden = all.hidden = follow.seat === null || state.phase !== "playing";
    field.disabled = go_button.disabled = !mine;
    if (!mine) fill(fault);
    if (choice.move && field !== document.activeElement) field.value = choice.move;
    if (!choice.move && field !== document.activeElement) field.value = "";
    if (!mine) field.value = "";
    if (!all.open) return;
    list.update({
      position: state.position,
      start: state.start,
      ghost: null,
      chosen: choice.move,
      last: null,
      legal: mine ? new Legal(state.legal ?? []) : NONE,
      winning: next.winning.shown ? next.winning.moves : null,
      propose: (move) => choice.propose(move),
    });
  }
  all.addEventListener("toggle", () => table && update(table));
  return { element, update };
}
