/** The table of games and their pictures. A game without an entry is played by the list of its moves. */
import { h } from "../dom/build.js";
import { still } from "./picture.js";
import { dial } from "./dial.js";
import { field, goldenPairs } from "./field.js";
import { generic } from "./move_list.js";
import { fibonacci, nim, single, staircase, vector } from "./heaps.js";
import { plant } from "./plant.js";
import { pins, turtles } from "./row.js";
import { stack } from "./stack.js";
import { sum } from "./sum.js";
import { tanks } from "./tanks.js";

const PARTS = { stack, dial, tanks };

/** The instruments of Fib Fob, all or some of them. @param {...keyof typeof PARTS} names */
function cockpit(...names) {
  return () => {
    const parts = names.map((name) => PARTS[name]());
    const [first, ...rest] = parts.map(({ element }) => element);
    const element = h(`div.cockpit.of-${names.length}`, first, rest.length ? h("div.instruments", ...rest) : null);
    return { element, update: (/** @type {Scene} */ scene) => parts.forEach(({ update }) => update(scene)) };
  };
}

/** @type {Record<string, () => Picture>} */
const PICTURES = {
  "fib-fob": cockpit("stack", "dial", "tanks"),
  rooks: cockpit("stack"),
  "poker-nim": cockpit("dial"),
  "nim-muskateers": cockpit("tanks"),
  nim,
  "misere-nim": nim,
  "take-fibonacci": fibonacci,
  "fibonacci-nim": single,
  "misere-fibonacci-nim": single,
  "turning-turtles": turtles,
  "staircase-nim": staircase,
  "wythoff-nim": field("picture.same_both", goldenPairs),
  "green-hackenbush": plant,
  "ryuo-nim": field("picture.together"),
  "ryuo-nim-3d": vector("picture.one_each"),
  "ryuo-nim-pass": field("picture.together"),
  kayles: pins,
  sum: sum(picture),
};

/** The parts of Fib Fob, by the first word of their moves. @type {Record<string, string>} */
const PART_OF = { ship: "rooks", time: "poker-nim", spend: "nim-muskateers", eject: "nim-muskateers" };
/** The games about a ship and its crew, whose results are told as a story. */
export const SHIPS = new Set(["fib-fob", ...Object.values(PART_OF)]);

/**
 * Returns a picture of a position that is only looked at. With a chosen move that of Fib Fob is its part's, because the
 * whole one is too large to be drawn for each.
 * @type {(game: string, position: string, given?: Partial<Scene>) => any}
 */
export function looked(game, position, given) {
  const [part] = given?.chosen?.split(" ") ?? [];
  const drawn = picture(part && game === "fib-fob" ? PART_OF[part] : game);
  drawn.update(still(position, given));
  return h("span.game-picture", { "aria-hidden": "true", inert: true }, drawn.element);
}

/** @type {(game: string) => Picture} */
export function picture(game) {
  return (PICTURES[game] ?? generic)();
}
