/**
 * "How to play": a sheet with a drawing of each kind of move, the goal, and who wins. It opens by itself at a guest's
 * first match of a game, and for an invited friend before the seat is taken.
 *
 * @typedef {keyof typeof import("../../words/how_en.js").how_en} How
 * @typedef {{ game: string, position: string, move: string, after: string, how: How }} Drawing
 */
import { fill, h } from "../../dom/build.js";
import { picture } from "../../pictures/pictures.js";
import { LegalMoves } from "../../play/legal_moves.js";
import { settings } from "../../wire/storage.js";
import { t } from "../../words/words.js";
import { SHIPS } from "./sentences.js";

/**
 * @param {string} game
 * @param {string} position
 * @param {[string, string, How][]} moves   the move, the position after it, and its sentence
 * @returns {Drawing[]}
 */
const drawings = (game, position, moves) => moves.map(([move, after, how]) => ({ game, position, move, after, how }));

const ROOKS = drawings("rooks", "f6@5", [
  ["ship b6@5", "b6@5", "left"],
  ["ship f2@5", "f2@5", "down"],
  ["ship f6@2", "f6@2", "lift"],
]);
const TIME = drawings("poker-nim", "time=9 nuggets=4", [
  ["time -5", "time=4 nuggets=4", "pass_time"],
  ["time +3", "time=12 nuggets=1", "nuggets"],
]);
const TANKS = drawings("nim-muskateers", "fib=9 fob=6", [
  ["spend fib", "fib=8 fob=6", "spend"],
  ["eject fob", "fib=9 fob=0", "eject"],
]);
const TAKE = /** @type {[string, string, How]} */ (["take 2 from 2", "3,2,5", "take"]);
const ONE_HEAP = (/** @type {string} */ game) => [
  ...drawings(game, "coins=10", [["take 3", "coins=7 last=3", "first_take"]]),
  ...drawings(game, "coins=8 last=2", [["take 4", "coins=4 last=4", "twice"]]),
];

/** @type {Record<string, Drawing[]>} */
const DRAWINGS = {
  "fib-fob": [...ROOKS, ...TIME, ...TANKS],
  rooks: ROOKS,
  "poker-nim": TIME,
  "nim-muskateers": TANKS,
  nim: drawings("nim", "3,4,5", [TAKE]),
  "misere-nim": drawings("misere-nim", "3,4,5", [TAKE]),
  "take-fibonacci": drawings("take-fibonacci", "7,9", [["take 5 from 2", "7,4", "fibonacci"]]),
  "fibonacci-nim": ONE_HEAP("fibonacci-nim"),
  "misere-fibonacci-nim": ONE_HEAP("misere-fibonacci-nim"),
  "turning-turtles": drawings("turning-turtles", "HTHH", [
    ["turn 3", "HTTH", "turn"],
    ["turn 4,2", "HHHT", "turn_two"],
  ]),
  "staircase-nim": drawings("staircase-nim", "2,3,4", [["move 2 from 2", "2,5,2", "step"]]),
  "wythoff-nim": drawings("wythoff-nim", "5,4", [
    ["take 3,0", "2,4", "one_heap"],
    ["take 3,3", "2,1", "same_both"],
  ]),
  "green-hackenbush": drawings("green-hackenbush", "0-1,1-2,1-3,3-4,3-4,0-5,5-5", [
    ["cut 1-2", "0-1,1-3,3-4,3-4,0-5,5-5", "cut"],
    ["cut 1-3", "0-1,1-2,0-5,5-5", "falls"],
  ]),
  "ryuo-nim": drawings("ryuo-nim", "5,4 p=3", [
    ["take 3,0", "2,4 p=3", "below_q"],
    ["take 1,1", "4,3 p=3", "together"],
  ]),
  "ryuo-nim-3d": drawings("ryuo-nim-3d", "4,3,2", [
    ["take 3,0,0", "1,3,2", "one_heap"],
    ["take 1,1,1", "3,2,1", "one_each"],
  ]),
  "ryuo-nim-pass": drawings("ryuo-nim-pass", "5,4 p=3 pass=yes", [
    ["take 3,0", "2,4 p=3 pass=yes", "one_heap"],
    ["take 1,1", "4,3 p=3 pass=yes", "together"],
    ["pass", "5,4 p=3 pass=no", "pass"],
  ]),
  kayles: drawings("kayles", "xxx.xxx", [
    ["knock 2", "x.x.xxx", "pin"],
    ["knock 5,6", "xxx...x", "pins"],
  ]),
  sum: drawings("sum", "nim 3,4 + kayles xxx", [
    ["1: take 2 from 2", "nim 3,2 + kayles xxx", "component"],
    ["2: knock 2", "nim 3,4 + kayles x.x", "anywhere"],
  ]),
};

/**
 * Opens the sheet of a game.
 * @param {{ game: string, title: string, misere: boolean, onclose?: () => void }} about
 */
export async function open_rules({ game, title, misere, onclose }) {
  const how =
    settings().language === "de"
      ? (await import("../../words/how_de.js")).how_de
      : (await import("../../words/how_en.js")).how_en;
  const close = () => box.close();
  const box = h(
    "dialog.how-sheet",
    {
      "aria-labelledby": "how-title",
      onclose: () => {
        box.remove();
        onclose?.();
      },
      // A click beside the sheet closes it.
      onclick: (/** @type {Event} */ event) => event.target === box && close(),
    },
    h(
      "div.how-body",
      null,
      h(
        "div.how-head",
        null,
        h("h2", { id: "how-title" }, t("how.title", { game: title })),
        h("button.small", { type: "button", onclick: close }, t("top.close")),
      ),
      SHIPS.has(game) ? h("p", null, how.story) : null,
      h("p", null, how.turns),
      h(`p.how-goal${misere ? ".is-misere" : ""}`, null, misere ? how.misere : how.normal),
      h("ul.how-moves", null, ...(DRAWINGS[game] ?? []).map((drawing) => h("li", null, ...drawn(drawing, how)))),
      h("p.quiet", null, how.choose),
      h("button.primary.how-done", { type: "button", onclick: close }, t("how.done")),
    ),
  );
  document.body.append(box);
  box.showModal();
  box.querySelector(".how-done")?.focus({ preventScroll: true });
  box.scrollTop = 0;
}

/**
 * Returns the drawing of a move and its sentence.
 * @param {Drawing} drawing
 * @param {typeof import("../../words/how_en.js").how_en} how
 */
function drawn({ game, position, move, after, how: word }, how) {
  const shown = picture(game);
  const frame = h("div.game-picture", { "aria-hidden": "true", inert: true }, shown.element);
  shown.update({
    position,
    start: position,
    ghost: after,
    chosen: move,
    last: null,
    legal: new LegalMoves([move]),
    winning: null,
    propose: () => {},
  });
  const example = h("code");
  fill(example, move);
  return [frame, h("p", null, how[word], " ", example)];
}
