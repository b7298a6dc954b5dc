/**
 * Moves in people's words: what a player does ("Fly to a5") and what one did ("flew to a5"). A move of a game that is
 * newer than this page keeps its notation.
 */
import { t } from "./words.js";

/** The notations of moves, with the word of each. @type {[RegExp, string][]} */
const KINDS = [
  [/^ship (?<square>\w\d)@(?<board>\d)$/, "ship"],
  [/^time -(?<count>\d+)$/, "wait"],
  [/^time \+(?<count>\d+)$/, "nuggets"],
  [/^spend (?<fluid>\w+)$/, "spend"],
  [/^eject (?<fluid>\w+)$/, "eject"],
  [/^take (?<count>\d+) from (?<heap>\d+)$/, "take_from"],
  [/^take (?<count>\d+)$/, "take"],
  [/^take (?<amounts>[\d,]+)$/, "take_each"],
  [/^move (?<count>\d+) from (?<step>\d+)$/, "move"],
  [/^turn (?<place>\d+)$/, "turn"],
  [/^turn (?<place>\d+),(?<other>\d+)$/, "turn_two"],
  [/^knock (?<place>\d+)$/, "knock"],
  [/^knock (?<place>\d+),(?<other>\d+)$/, "knock_two"],
  [/^cut (?<edge>\S+)$/, "cut"],
  [/^pass$/, "pass"],
];

/** The forms of a move: what one does, what somebody did, and the move as a thing. @typedef {0 | 1 | 2} Form */

/** Returns what a move would do, such as "Fly to a5". @type {(move: string, position?: string | null) => string} */
export const doing = (move, position) => phrase(0, move, position);

/** Returns what a move did, such as "flew to a5". @type {(move: string, before?: string | null) => string} */
export const done = (move, before) => phrase(1, move, before);

/** Returns a move as a thing, such as "flying to a5". @type {(move: string, before?: string | null) => string} */
export const naming = (move, before) => phrase(2, move, before);

/** @type {(form: Form, move: string, before?: string | null) => string} */
function phrase(form, move, before) {
  const [, component, inner] = /^(\d+): (.+)$/.exec(move) ?? [];
  if (component) return told(form, "component", { number: component, move: phrase(form, inner) });
  for (const [notation, kind] of KINDS) {
    const found = notation.exec(move);
    if (!found) continue;
    const values = { ...found.groups };
    if (kind === "take_each") return takenFromEach(form, values.amounts.split(","));
    const time = Number(/time=(\d+)/.exec(before ?? "")?.[1]);
    const count = Number(values.count) * (kind === "wait" ? -1 : 1);
    Object.assign(values, { from: time, to: time + count });
    if (values.fluid) values.fluid = values.fluid[0].toUpperCase() + values.fluid.slice(1);
    return told(form, kind === "ship" ? flight(values.board, before) : kind, values);
  }
  return move;
}

/** @type {(form: Form, kind: string, values: Record<string, string>) => string} */
function told(form, kind, values) {
  return t(/** @type {Word} */ (`move.${kind}`), values).split(" | ")[form] ?? "";
}

/** Returns the word for a flight to a board: along the ship's own one, down the lift, or from an unknown place. */
function flight(/** @type {string} */ board, /** @type {string | null | undefined} */ before) {
  const here = /^[a-h][1-8]@([1-8])/.exec(before ?? "")?.[1];
  return !here ? "reach" : here === board ? "fly" : "lift";
}

/** @type {(form: Form, amounts: string[]) => string} */
function takenFromEach(form, amounts) {
  const heaps = amounts
    .map((count, index) => ({ count, heap: String(index + 1) }))
    .filter(({ count }) => count !== "0");
  if (heaps.length === 1) return told(form, "take_from", heaps[0]);
  const list = new Intl.ListFormat(t("locale"));
  const [counts, names] = [heaps.map(({ count }) => count), heaps.map(({ heap }) => heap)];
  return told(form, "take_each", { counts: list.format(counts), heaps: list.format(names) });
}
