/**
 * Legal moves from the move families of `state.legal`, without knowledge of any game: a family is a pattern with
 * numbers or letters in it, such as `take {1..5} from 2` or `ship {a..f}6@3`, perhaps with a bound on their sum.
 */

/** The most moves that are listed: a client needs some legal moves, not all moves of a very large position. */
export const MOVES_MAX = 20_000;

/**
 * The moves of all families, in the order of the families.
 * @param {(string | {pattern: string, total: number[]})[]} legal
 * @returns {string[]}
 */
export function moves(legal) {
  const found = [];
  for (const family of legal) {
    for (const move of members(family)) {
      if (found.length >= MOVES_MAX) return found;
      found.push(move);
    }
  }
  return found;
}

/** The first of the moves alone: it has the smallest numbers. */
export function firstMoves(legal) {
  return moves(legal).slice(0, 1);
}

/** A hole in a pattern: `{1..5,9..21/3}`, `{a..f}`, `{a:1..5}`, `{a}` or `{a+1}`. */
const HOLE = /\{(?:([a-z])(?:\+(\d+))?(?::|(?=\})))?([\da-z.,/]*)\}/g;

/**
 * The moves of one family, generated one at a time.
 * @returns {Generator<string>}
 */
export function* members(family) {
  const { pattern, total } = typeof family === "string" ? { pattern: family } : family;
  const slots = new Map();
  const holes = [];
  for (const [, named, more, runs] of pattern.matchAll(HOLE)) {
    const name = named ?? `unnamed ${slots.size}`;
    if (runs) slots.set(name, { letters: /^[a-z]/.test(runs), runs: runs.split(",").map(run) });
    holes.push({ name, more: Number(more ?? 0) });
  }
  for (const values of choices([...slots])) {
    const numbers = Object.values(values);
    if (total) {
      const [least, most, positive] = total;
      const sum = numbers.reduce((all, one) => all + one, 0);
      if (sum < least || sum > most || numbers.filter((one) => one > 0).length < positive) continue;
    }
    const texts = holes.map(({ name, more }) => {
      if (!(name in values)) throw new Error(`the pattern ${pattern} has no number ${name}`);
      const number = values[name] + more;
      return slots.get(name).letters ? String.fromCharCode(number) : String(number);
    });
    yield pattern.replace(HOLE, () => texts.shift());
  }
}

function run(text) {
  const [ends, step] = text.split("/");
  // A letter counts as its character's code.
  const [from, to] = ends.split("..").map((end) => (/\d/.test(end) ? Number(end) : end.charCodeAt(0)));
  return [from, to ?? from, Number(step ?? 1)];
}

function* choices(slots) {
  if (slots.length === 0) {
    yield {};
    return;
  }
  const [[name, { runs }], ...others] = slots;
  for (const [from, to, step] of runs) {
    for (let value = from; value <= to; value += step) {
      for (const rest of choices(others)) yield { [name]: value, ...rest };
    }
  }
}
