/**
 * "How to play" as short cards: the goal, and a drawing of each kind of move. They open by themselves at a guest's
 * first match of a game, beside the picture, and close with a touch of it. The sentences come with the catalogue.
 */
import { h } from "../../dom/build.js";
import { looked } from "../../pictures/pictures.js";
import { LegalMoves } from "../../play/legal_moves.js";
import { gameInfo } from "../../wire/catalogue.js";
import { how, title } from "../../words/games.js";
import { t } from "../../words/words.js";

/** Returns the cards of a game. @param {GameInfo} game */
export function cards({ id, convention, how_to_play: { introduction, goal, moves } }) {
  const aim = h(`p.how-goal${convention === "misere" ? ".is-misere" : ""}`, how(goal));
  const first = h("li", ...introduction.map((sentence) => h("p", how(sentence))), aim);
  return h("ul.how-moves", first, ...moves.map((move) => drawn(id, move)), h("li", h("p.quiet", t("how.choose"))));
}

/** Opens the cards of a game. @param {string} id */
export async function openRules(id) {
  const game = await gameInfo(id);
  // Without the catalogue there is nothing to show; the next click asks for it again.
  if (!game) return;
  const close = () => box.hidePopover();
  const heading = h("h2", { id: "how-title" }, t("how.title", { game: title(game) }));
  const done = h("button.primary.how-done", { onclick: close, autofocus: true }, t("how.done"));
  const given = { popover: "auto", role: "dialog", "aria-labelledby": "how-title" };
  const box = h("div.how-sheet", given, h("div.how-head", heading, done), cards(game));
  box.addEventListener("toggle", (/** @type {any} */ { newState }) => {
    if (newState === "open") return;
    const held = box.contains(document.activeElement) || document.activeElement === document.body;
    box.remove();
    if (held) /** @type {HTMLElement | null} */ (document.querySelector(".stage"))?.focus({ preventScroll: true });
  });
  document.body.append(box);
  box.showPopover();
}

/** Closes the cards if they are open: the match needs the player, or it is over. */
export function closeRules() {
  /** @type {HTMLElement | null} */ (document.querySelector(".how-sheet"))?.hidePopover();
}

/** Returns the card of a kind of move. @type {(game: string, example: ShownMove) => HTMLElement} */
function drawn(game, { position, move, after, sentence }) {
  const given = { ghost: after, chosen: move, legal: new LegalMoves([move]) };
  return h("li", looked(game, position, given), h("p", how(sentence)));
}
