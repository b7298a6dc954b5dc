/** The position as text, a field for a move, and the list of all legal moves: ways to play without the picture. */
import { announce } from "../../dom/announce.js";
import { NOTATION, fill, form, h, say, set, submit } from "../../dom/build.js";
import { moveList } from "../../pictures/move_list.js";
import { still } from "../../pictures/picture.js";
import { roving } from "../../play/roving_focus.js";
import { t } from "../../words/words.js";
import { analysisOf } from "../start_match.js";

/** @param {ShownMatch} view */
export function textEntry(view) {
  const text = h("code");
  /** The start, invisible in the same place: positions mostly become shorter, and so nothing below moves. */
  const spacer = h("code.hidden", { "aria-hidden": "true" });
  const shown = h("div.position", text, spacer);
  const words = t("choice.typed");
  const field = h("input", { ...NOTATION, "aria-label": words, placeholder: words });
  const fault = h("p.fault", { role: "alert" });
  const goButton = submit(t("choice.typed_go"));
  const typing = form("form.typed.row", go, field, goButton);
  const list = moveList();
  const all = h("details.all-moves", h("summary", t("choice.all")), list.element);
  const analyse = h("a.button.small.from-here", { "data-go": true }, t("choice.analyse"));
  const element = h("section.panel.typed-panel", h("h2", t("choice.position")), shown, analyse, typing, fault, all);

  roving(list.element, () => view.choosing);

  function go() {
    const typed = field.value.trim();
    if (!typed) return;
    const move = view.legal.read(typed);
    const wrong = move ? "" : t("choice.typed_wrong", { move: typed });
    fill(fault, wrong);
    if (!move) return announce(wrong, true);
    view.draft.propose(move);
    if (!view.draft.move) field.value = "";
  }

  function update() {
    const { state, played, followed, ply, draft, chooses, trial, winning } = view;
    const position = followed.position(ply) ?? state.position;
    say(text, position);
    set(analyse, { href: analysisOf(state.game, position) });
    // Not in a match that is played without help.
    analyse.hidden = !view.review.allowed;
    say(spacer, state.start);
    // Players keep the field and the list on the opponent's turn, so that nothing moves.
    typing.hidden = all.hidden = !trial && (followed.seat === null || state.phase !== "playing");
    field.disabled = goButton.disabled = !chooses;
    if (!chooses) fill(fault);
    if (!chooses) field.value = "";
    else if (field !== document.activeElement) field.value = draft.move ?? "";
    if (!all.open) return;
    const scene = {
      chosen: draft.move,
      legal: view.legal,
      winning: winning.shown ? winning.moves : null,
      propose: (/** @type {string} */ move) => draft.propose(move),
    };
    list.update(still(played.state?.position ?? state.position, scene));
  }
  all.addEventListener("toggle", update);
  return { element, update };
}
