/** The notations of the heap games: how a pile of coins becomes a move, and a move an amount. */
import { t } from "../words/words.js";
import { coins } from "./coins.js";
import { amount, fields, heaps } from "./picture.js";

/** @param {number} heap */
const name = (heap) => t("picture.heap", { heap: heap + 1 });

/** Coins from one heap. @type {import("./coins.js").Kind} */
const ONE_HEAP = {
  read: heaps,
  write: (count, heap) => `take ${count} from ${heap + 1}`,
  parse: (move, count) => fromOne(move, count, 1),
  name,
};

/** Nim and similar games. */
export const nim = coins(ONE_HEAP);

/** Nim with Fibonacci numbers: a note names the amounts that the largest heap allows. */
export const fibonacci = coins({
  ...ONE_HEAP,
  note(position) {
    const allowed = fibonacciNumbers(Math.max(0, ...heaps(position)));
    return t("picture.fibonacci", { amounts: allowed.map(amount).join(", ") });
  },
});

/** Returns the Fibonacci numbers up to a bound. @param {number} most */
function fibonacciNumbers(most) {
  const found = [];
  for (let [here, next] = [1, 2]; here <= most; [here, next] = [next, here + next]) found.push(here);
  return found.length ? found : [1];
}

/** One heap with a limit set by the last move. */
export const single = coins({
  read: (position) => [fields(position).coins ?? 0],
  write: (count) => `take ${count}`,
  parse: (move) => [Number(move.replace(/\D/g, ""))],
  name: () => t("picture.heap", { heap: "" }).trim(),
  note(position) {
    const { last } = fields(position);
    return last === undefined ? t("picture.quota_first") : t("picture.quota", { count: amount(2 * last) });
  },
});

/** Coins on stairs move down one step. */
export const staircase = coins({
  read: heaps,
  write: (count, step) => `move ${count} from ${step}`,
  parse: (move, count) => fromOne(move, count, 0),
  name: (step) => (step === 0 ? t("picture.floor") : t("picture.step", { step })),
  stairs: true,
});

/** Games that take from several heaps at once, as a rule says. @param {Word} rule */
export const vector = (rule) =>
  coins({
    read: heaps,
    together: (amounts) => `take ${amounts.join(",")}`,
    parse: (move) => move.replace("take ", "").split(",").map(Number),
    name,
    note: (position) => [...bounds(rule, position), t("picture.vector_hint")].join(". "),
  });

/** Returns the sentences about what may be taken. @type {(rule: Word, position: string) => string[]} */
export function bounds(rule, position) {
  const { p, q } = fields(position);
  return q === undefined ? [t(rule, { p })] : [t(rule, { p }), t("picture.below_q", { most: q - 1 })];
}

/**
 * Returns what a move takes from each of `count` heaps: all from the one that it names. Names count from `first`.
 * @type {(move: string, count: number, first: number) => number[]}
 */
function fromOne(move, count, first) {
  const [taken, heap] = (move.match(/\d+/g) ?? []).map(Number);
  return Array.from({ length: count }, (_, index) => (index + first === heap ? taken : 0));
}
