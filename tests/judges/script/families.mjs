/**
 * Legal moves from the families of `state.legal`. Knows no game: a pattern, numbers for its slots, a bound on their
 * sum.
 */

/** More moves than this are not listed: a judge needs some legal moves, not all of a very large position. */
export const MOVES_MAX = 20_000;

/**
 * The moves of all families, in the order in which the families stand.
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

/** One move of each family: its first, which has the smallest numbers. */
export function firsts(legal) {
  return legal.map((family) => members(family).next().value).filter((move) => move !== undefined);
}

/** @returns {Generator<string>} */
export function* members({ pattern, slots = [], total }) {
  for (const values of choices(slots)) {
    const chosen = Object.values(values);
    if (total) {
      const [least, greatest, above] = total;
      const sum = chosen.reduce((all, one) => all + one, 0);
      if (sum < least || sum > greatest || chosen.filter((one) => one > 0).length < above) continue;
    }
    yield pattern.replace(/\{(\w+?)(\+1)?\}/g, (_, name, next) => {
      if (!(name in values)) throw new Error(`no slot for ${name} in ${pattern}`);
      return String(values[name] + (next ? 1 : 0));
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
