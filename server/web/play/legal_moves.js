/**
 * The legal moves, as the server sends them: families of texts that differ in numbers, or in a letter, which counts
 * as its place in the alphabet. This module knows whether a text is a move and which numbers fit, but not what a move
 * does.
 *
 * @import { Family } from "../wire/types.js"
 * @typedef {{ name: string, letters: boolean, runs: [number, number, number][] }} Slot
 * @typedef {{ slot: Slot, more: number }} Hole
 * @typedef {{ pattern: string, slots: Slot[], total?: [number, number, number] }} ReadFamily
 */

/** The largest number that `amounts` tries. */
const TRIED_MOST = 1_000;

/** A hole in a pattern: its name and what is added to it, or its runs, or both. */
const HOLE = /\{(?:([a-z])(?:\+(\d+))?(?::|(?=\})))?([\da-z.,/]*)\}/g;

export class LegalMoves {
  /** @type {{ family: ReadFamily, text: RegExp, holes: Hole[] }[]} */
  #families;

  /** @param {readonly (Family | ReadFamily)[]} families */
  constructor(families) {
    this.families = families.map(readFamily);
    this.#families = this.families.map((family) => {
      /** @type {Hole[]} */
      const holes = [];
      const text = family.pattern
        .split(/(\{[a-z](?:\+\d+)?\})/)
        .map((piece) => {
          const hole = /^\{([a-z])(?:\+(\d+))?\}$/.exec(piece);
          const slot = hole && family.slots.find(({ name }) => name === hole[1]);
          if (!slot) return piece.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
          holes.push({ slot, more: Number(hole[2] ?? 0) });
          return slot.letters ? "([a-z])" : "(\\d+)";
        })
        .join("");
      return { family, text: new RegExp(`^${text}$`), holes };
    });
  }

  get empty() {
    return this.families.length === 0;
  }

  /** Returns whether the text is one of the moves. @param {string} move */
  allows(move) {
    return this.#families.some(({ family, text, holes }) => {
      const values = numbers(text.exec(move), holes);
      return !!values && fits(family, values);
    });
  }

  /**
   * Returns the move that a typed text means, whatever its capitals and spaces; null if it is none.
   * @param {string} typed
   */
  read(typed) {
    const tight = typed.replace(/\s+/g, "").replace(/[−–]/g, "-");
    for (const { family, text, holes } of this.#families) {
      const values = numbers(new RegExp(text.source.replaceAll(" ", ""), "i").exec(tight), holes);
      if (values && fits(family, values)) return written(family, values);
    }
    return null;
  }

  /**
   * Returns the numbers from 1 to `most` that make a move.
   * @type {(write: (amount: number) => string, most: number) => number[]}
   */
  amounts(write, most) {
    const tried = Array.from({ length: Math.min(most, TRIED_MOST) }, (_, index) => index + 1);
    return tried.filter((amount) => this.allows(write(amount)));
  }

  /** Returns the moves of one component of a sum, without its number. @param {string} prefix */
  within(prefix) {
    const inside = this.families.filter(({ pattern }) => pattern.startsWith(prefix));
    return new LegalMoves(inside.map((family) => ({ ...family, pattern: family.pattern.slice(prefix.length) })));
  }

  /** Returns the first `most` moves. @param {number} most */
  list(most) {
    const moves = this.families.flatMap((family) => choices(family, most).map((values) => written(family, values)));
    return moves.slice(0, most);
  }
}

export const NONE = new LegalMoves([]);

/**
 * Returns the numbers in the holes of a text; null if there is no text, or one number has two values.
 * @type {(found: RegExpExecArray | null, holes: Hole[]) => Map<string, number> | null}
 */
function numbers(found, holes) {
  /** @type {Map<string, number>} */
  const values = new Map();
  const agree = holes.every(({ slot, more }, index) => {
    const value = numberOf(slot, found?.[index + 1] ?? "") - more;
    const known = values.get(slot.name);
    values.set(slot.name, value);
    return known === undefined || known === value;
  });
  return found && agree ? values : null;
}

/**
 * Returns the number that a text in a slot's hole stands for.
 * @type {(slot: Pick<Slot, "letters">, text: string) => number}
 */
export function numberOf({ letters }, text) {
  return letters ? text.toLowerCase().charCodeAt(0) - 96 : Number(text);
}

/** Returns the text of a number in a slot's hole. @type {(slot: Pick<Slot, "letters">, number: number) => string} */
export function textOf({ letters }, number) {
  return letters ? String.fromCharCode(number + 96) : String(number);
}

/** Takes the runs of the numbers out of a family's pattern. @type {(family: Family | ReadFamily) => ReadFamily} */
function readFamily(sent) {
  if (typeof sent !== "string" && "slots" in sent) return sent;
  const family = typeof sent === "string" ? { pattern: sent } : sent;
  /** @type {Map<string, Slot>} */
  const slots = new Map();
  const pattern = family.pattern.replace(HOLE, (_, named, more, runs) => {
    const name = named ?? String.fromCharCode(97 + slots.size);
    if (!slots.has(name)) slots.set(name, readSlot(name, runs));
    return more ? `{${name}+${more}}` : `{${name}}`;
  });
  const byName = [...slots.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
  return { ...family, pattern, slots: byName };
}

/** @type {(name: string, text: string) => Slot} */
function readSlot(name, text) {
  const letters = /^[a-z]/.test(text);
  const runs = text.split(",").map((run) => {
    const [ends, step] = run.split("/");
    const [from, to] = ends.split("..").map((end) => numberOf({ letters }, end));
    return /** @type {[number, number, number]} */ ([from, to ?? from, Number(step ?? 1)]);
  });
  return { name, letters, runs };
}

/**
 * Returns whether numbers fit the slots and the total of a family.
 * @type {(family: ReadFamily, values: Map<string, number>) => boolean}
 */
export function fits(family, values) {
  const slots = family.slots;
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
 * @type {(family: ReadFamily, values: Map<string, number>) => string}
 */
export function written(family, values) {
  return family.pattern.replace(/\{([a-z])(?:\+(\d+))?\}/g, (_, name, more) => {
    const slot = family.slots.find((slot) => slot.name === name);
    return textOf(slot ?? { letters: false }, (values.get(name) ?? 0) + Number(more ?? 0));
  });
}

/** The number of combinations that are tried for one family. */
const COMBINATIONS_MOST = 20_000;

/**
 * Returns up to `most` choices of numbers that fit a family.
 * @type {(family: ReadFamily, most: number) => Map<string, number>[]}
 */
export function choices(family, most) {
  /** @type {Map<string, number>[]} */
  let found = [new Map()];
  const slots = family.slots;
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
