/**
 * The position as text, a field for a move, and the list of all legal moves: ways to play without the picture.
 *
 * @import { MatchProps } from "../match.js"
 */
import { announce } from "../../dom/announce.js";
import { fill, form, h, say } from "../../dom/build.js";
import { icon } from "../../dom/icons.js";
import { moveList } from "../../pictures/move_list.js";
import { LegalMoves, NONE } from "../../play/legal_moves.js";
import { roving } from "../../play/roving_focus.js";
import { t } from "../../words/words.js";
import { copy } from "../../dom/copy.js";

export function textEntry() {
  const text = h("code");
  /** The start, invisible in the same place: positions mostly become shorter, and so nothing below moves. */
  const spacer = h("code.spacer.hidden", { "aria-hidden": "true" });
  const position = h("div.position", text, spacer);
  const copier = h(
    "button.small.icon",
    {
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
  const goButton = h("button", { type: "submit" }, t("choice.typed_go"));
  const typing = form("form.typed.row", go, field, goButton);
  const list = moveList();
  const all = h("details.all-moves", h("summary", t("choice.all")), list.element);
  const element = h(
    "section.panel.typed-panel",
    h("h2", t("choice.position")),
    h("div.row.position-row", position, copier),
    typing,
    fault,
    all,
  );
  /** @type {MatchProps | null} */
  let props = null;

  roving(list.element, () => props?.draft);

  function go() {
    const typed = field.value.trim();
    if (!typed || !props) return;
    fill(fault);
    const move = new LegalMoves(props.state.legal ?? []).read(typed);
    if (move) props.draft.propose(move);
    else {
      fill(fault, t("choice.typed_wrong", { move: typed }));
      announce(t("choice.typed_wrong", { move: typed }), true);
      return;
    }
    if (!props.draft.move) field.value = "";
  }

  /** @param {MatchProps} next */
  function update(next) {
    props = next;
    const { state, followed, ply, draft, mine } = next;
    say(text, followed.position(ply) ?? "…");
    say(spacer, state.start);
    // Players keep the field and the list on the opponent's turn, so that nothing moves.
    typing.hidden = all.hidden = followed.seat === null || state.phase !== "playing";
    field.disabled = goButton.disabled = !mine;
    if (!mine) fill(fault);
    if (!mine) field.value = "";
    else if (field !== document.activeElement) field.value = draft.move ?? "";
    if (!all.open) return;
    list.update({
      position: state.position,
      start: state.start,
      ghost: null,
      chosen: draft.move,
      last: null,
      legal: mine ? new LegalMoves(state.legal ?? []) : NONE,
      winning: next.winning.shown ? next.winning.moves : null,
      propose: (move) => draft.propose(move),
    });
  }
  all.addEventListener("toggle", () => props && update(props));
  return { element, update };
}
