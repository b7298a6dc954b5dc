/**
 * The table of games and their pictures. A game without an entry is played by the list of its moves.
 *
 * @import { Picture } from "./picture.js"
 */
import { cockpit } from "./cockpit.js";
import { field } from "./field.js";
import { generic } from "./move_list.js";
import { fibonacci, nim, single, staircase, vector } from "./heaps.js";
import { plant } from "./plant.js";
import { pins, turtles } from "./row.js";
import { sum } from "./sum.js";

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
  "wythoff-nim": field("picture.same_both"),
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
 * Returns a picture for a single move. That of Fib Fob is too large to be drawn for each, so that it is the part's.
 * @type {(game: string, move: string) => Picture}
 */
export function movePicture(game, move) {
  return picture(game === "fib-fob" ? PART_OF[move.split(" ")[0]] : game);
}

/** @type {(game: string) => Picture} */
export function picture(game) {
  return (PICTURES[game] ?? generic)();
}
