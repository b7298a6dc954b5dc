/**
 * "How to play": a sheet with a drawing of each kind of move, the goal, and who wins. It opens by itself at a guest's
 * first match of a game, and for an invited friend before the seat is taken. The sentences come with the catalogue.
 *
 * @import { ShownMove } from "../../wire/types.js"
 */
import { h } from "../../dom/build.js";
import { openDialog } from "../../dom/dialog.js";
import { still } from "../../pictures/picture.js";
import { movePicture } from "../../pictures/pictures.js";
import { LegalMoves } from "../../play/legal_moves.js";
import { gameInfo } from "../../wire/catalogue.js";
import { how, title } from "../../words/games.js";
import { t } from "../../words/words.js";

/** Opens the sheet of a game. @type {(id: string, onclose: () => void) => Promise<void>} */
export async function openRules(id, onclose) {
  const game = await gameInfo(id);
  // Without the catalogue there is nothing to show; the next click asks for it again.
  if (!game) return onclose();
  const { introduction, goal, moves } = game.how_to_play;
  const close = () => box.close();
  const closeBeside = (/** @type {Event} */ event) => event.target === box && close();
  const heading = h("h2", { id: "how-title" }, t("how.title", { game: title(game) }));
  const box = openDialog(
    "dialog.how-sheet",
    { "aria-labelledby": "how-title", onclose, onclick: closeBeside },
    h(
      "div.how-body",
      h("div.how-head", heading, h("button.small", { onclick: close }, t("top.close"))),
      ...introduction.map((sentence) => h("p", how(sentence))),
      h(`p.how-goal${game.convention === "misere" ? ".is-misere" : ""}`, how(goal)),
      h("ul.how-moves", ...moves.map((move) => h("li", ...drawn(id, move)))),
      h("p.quiet", t("how.choose")),
      h("button.primary.how-done", { onclick: close }, t("how.done")),
    ),
  );
  /** @type {HTMLElement | null} */ (box.querySelector(".how-done"))?.focus({ preventScroll: true });
  box.scrollTop = 0;
}

/** Returns the drawing of a move and its sentence. @type {(game: string, example: ShownMove) => any[]} */
function drawn(game, { position, move, after, sentence }) {
  const shown = movePicture(game, move);
  const frame = h("div.game-picture", { "aria-hidden": "true", inert: true }, shown.element);
  shown.update(still(position, { ghost: after, chosen: move, legal: new LegalMoves([move]) }));
  return [frame, h("p", how(sentence), " ", h("code", move))];
}
