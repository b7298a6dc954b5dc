/**
 * Legal moves from the move families of `state.legal`, without knowledge of any game: a family is a pattern, the
 * numbers allowed in its slots, and a bound on their sum.
 */

/** The most moves that are listed: a client needs some legal moves, not all moves of a very large position. */
export const MOVES_MAX = 20_000;

/**
 * The moves of all families, in the order of the families.
 * @param {{pattern: string, slots?: {name: string, runs: number[][]}[], total?: number[]}[]} legal
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

/** The first move of each family, which has the smallest numbers. */
export function firstMoves(legal) {
  return legal.map((family) => members(family).next().value).filter((move) => move !== undefined);
}

/**
 * The moves of one family, generated one at a time.
 * @returns {Generator<string>}
 */
export function* members({ pattern, slots = [], total }) {
  for (const values of choices(slots)) {
    const numbers = Object.values(values);
    if (total) {
      const [least, most, positive] = total;
      const sum = numbers.reduce((all, one) => all + one, 0);
      if (sum < least || sum > most || numbers.filter((one) => one > 0).length < positive) continue;
    }
    yield pattern.replace(/\{(\w+?)(\+1)?\}/g, (_, name, plusOne) => {
      if (!(name in values)) throw new Error(`the pattern ${pattern} has no slot ${name}`);
      return String(values[name] + (plusOne ? 1 : 0));
    });
  }
}

function* choices(slots) {
  if (slots.length === 0) {
    yield {};
    return;
  }
  const [{ name, runs }, ...others] = slots;
  for (const [from, to, step] of runs) {
    for (let value = from; value <= to; value += step) {
      for (const rest of choices(others)) yield { [name]: value, ...rest };
    }
  }
}
