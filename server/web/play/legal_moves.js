/**
 * The legal moves, as the server sends them: families of texts that differ in numbers. This module knows whether a
 * text is a move and which numbers fit, but not what a move does.
 *
 * @typedef {import("../wire/types.js").Family} Family
 * @typedef {import("../wire/types.js").Slot} Slot
 */

/** The largest number that `amounts` tries. */
const TRIED_MOST = 1_000;

export class LegalMoves {
  /** @type {{ family: Family, text: RegExp, holes: { name: string, more: number }[] }[]} */
  #families;

  /** @param {readonly Family[]} families */
  constructor(families) {
    this.families = families;
    this.#families = families.map((family) => {
      /** @type {{ name: string, more: number }[]} */
      const holes = [];
      const text = family.pattern
        .split(/(\{[a-z](?:\+1)?\})/)
        .map((piece) => {
          const hole = /^\{([a-z])(\+1)?\}$/.exec(piece);
          if (!hole) return piece.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
          holes.push({ name: hole[1], more: hole[2] ? 1 : 0 });
          return "(\\d+)";
        })
        .join("");
      return { family, text: new RegExp(`^${text}$`), holes };
    });
  }

  get empty() {
    return this.families.length === 0;
  }

  /**
   * Returns whether the text is one of the moves.
   * @param {string} move
   */
  allows(move) {
    return this.#families.some(({ family, text, holes }) => {
      const found = text.exec(move);
      if (!found) return false;
      /** @type {Map<string, number>} */
      const values = new Map();
      const agree = holes.every(({ name, more }, index) => {
        const value = Number(found[index + 1]) - more;
        const known = values.get(name);
        values.set(name, value);
        return known === undefined || known === value;
      });
      return agree && fits(family, values);
    });
  }

  /**
   * Returns the numbers from 1 to `most` that make a move.
   * @param {(amount: number) => string} write
   * @param {number} most
   */
  amounts(write, most) {
    const amounts = [];
    for (let amount = 1; amount <= Math.min(most, TRIED_MOST); amount++) {
      if (this.allows(write(amount))) amounts.push(amount);
    }
    return amounts;
  }

  /**
   * Returns the moves of one component of a sum, without its number.
   * @param {string} prefix
   */
  within(prefix) {
    const inside = this.families.filter(({ pattern }) => pattern.startsWith(prefix));
    return new LegalMoves(inside.map((family) => ({ ...family, pattern: family.pattern.slice(prefix.length) })));
  }

  /**
   * Returns the first `most` moves.
   * @param {number} most
   */
  list(most) {
    /** @type {string[]} */
    const moves = [];
    for (const family of this.families) {
      for (const values of choices(family, most - moves.length)) moves.push(written(family, values));
      if (moves.length >= most) break;
    }
    return moves;
  }
}

/**
 * Returns whether numbers fit the slots and the total of a family.
 * @param {Family} family
 * @param {Map<string, number>} values
 */
export function fits(family, values) {
  const slots = family.slots ?? [];
  const inside = slots.every(({ name, runs }) => {
    const value = values.get(name);
    return (
      value !== undefined &&
      runs.some(([from, to, step]) => from <= value && value <= to && (value - from) % step === 0)
    );
  });
  if (!inside || !family.total) return inside;
  const [least, most, positive] = family.total;
  const numbers = slots.map(({ name }) => values.get(name) ?? 0);
  const sum = numbers.reduce((sum, number) => sum + number, 0);
  return least <= sum && sum <= most && numbers.filter((number) => number > 0).length >= positive;
}

/**
 * Returns the text of a move with its numbers filled in.
 * @param {Family} family
 * @param {Map<string, number>} values
 */
export function written(family, values) {
  return family.pattern.replace(/\{([a-z])(\+1)?\}/g, (_, name, more) =>
    String((values.get(name) ?? 0) + (more ? 1 : 0)),
  );
}

/** The number of combinations that are tried for one family. */
const COMBINATIONS_MOST = 20_000;

/**
 * Returns up to `most` choices of numbers that fit a family.
 * @param {Family} family
 * @param {number} most
 * @returns {Map<string, number>[]}
 */
export function choices(family, most) {
  /** @type {Map<string, number>[]} */
  let found = [new Map()];
  const slots = family.slots ?? [];
  slots.forEach(({ name, runs }, index) => {
    const bound = index === slots.length - 1 && !family.total ? most : COMBINATIONS_MOST;
    const next = [];
    for (const values of found) {
      for (const [from, to, step] of runs) {
        for (let value = from; value <= to && next.length < bound; value += step) {
          next.push(new Map(values).set(name, value));
        }
      }
    }
    found = next;
  });
  return found.filter((values) => fits(family, values)).slice(0, Math.max(0, most));
}
