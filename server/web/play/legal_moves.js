/**
 * The legal moves, as the server sends them: families of texts that differ in numbers, or in a letter, which counts
 * as its place in the alphabet. This module knows whether a text is a move and which numbers fit, but not what a move
 * does.
 *
 * @typedef {{ name: string, letters: boolean, runs: [number, number, number][] }} Slot
 * @typedef {{ slot: Slot, more: number }} Hole
 *
 * A family with the pieces of text around its holes, and what the text of one of its moves is like.
 * @typedef {{ pieces: string[], holes: Hole[], text: RegExp, slots: Slot[], total?: number[] }} ReadFamily
 */

import { normaliseTyped } from "./typed.js";

const TRIED_MOST = 1_000;

/** A hole in a pattern: its name and what is added to it, or its runs, or both. */
const HOLE = /\{(?:([a-z])(?:\+(\d+))?(?::|(?=\})))?([\da-z.,/]*)\}/g;

export class LegalMoves {
  /** @param {readonly Family[]} sent */
  constructor(sent) {
    this.sent = sent;
    this.families = sent.map(readFamily);
  }

  get empty() {
    return this.families.length === 0;
  }

  /** Returns whether the text is one of the moves. @param {string} move */
  allows(move) {
    return this.families.some((family) => !!numbers(family.text.exec(move), family));
  }

  /** Returns the move that a typed text means, whatever its capitals and spaces. @param {string} typed */
  read(typed) {
    const tight = normaliseTyped(typed).replace(/ +/g, "");
    for (const family of this.families) {
      const values = numbers(new RegExp(family.text.source.replaceAll(" ", ""), "i").exec(tight), family);
      if (values) return written(family, values);
    }
    return null;
  }

  /** Returns the numbers that make a move. @type {(write: (amount: number) => string, most: number) => number[]} */
  amounts(write, most) {
    const tried = Array.from({ length: Math.min(most, TRIED_MOST) }, (_, index) => index + 1);
    return tried.filter((amount) => this.allows(write(amount)));
  }

  /** Returns the moves of one component of a sum, without its number. @param {string} prefix */
  within(prefix) {
    const all = this.sent.map((family) => (typeof family === "string" ? { pattern: family } : family));
    const inside = all.filter(({ pattern }) => pattern.startsWith(prefix));
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
 * Returns the numbers in the holes of a text; null if there is no text, one number has two values, or they do not fit.
 * @type {(found: RegExpExecArray | null, family: ReadFamily) => Map<string, number> | null}
 */
function numbers(found, family) {
  if (!found) return null;
  /** @type {Map<string, number>} */
  const values = new Map();
  const agree = family.holes.every(({ slot, more }, index) => {
    const value = numberOf(slot, found[index + 1]) - more;
    const known = values.get(slot.name) ?? value;
    values.set(slot.name, value);
    return known === value;
  });
  return agree && fits(family, values) ? values : null;
}

/** Returns the number that a text in a hole stands for. @type {(slot: Slot, text: string) => number} */
export function numberOf({ letters }, text) {
  return letters ? text.toLowerCase().charCodeAt(0) - 96 : Number(text);
}

/** Returns the text of a number in a hole. @type {(slot: Slot, number: number) => string} */
export function textOf({ letters }, number) {
  return letters ? String.fromCharCode(number + 96) : String(number);
}

/** @type {(sent: Family) => ReadFamily} */
function readFamily(sent) {
  const { pattern, total } = typeof sent === "string" ? { pattern: sent } : sent;
  /** @type {Map<string, Slot>} */
  const slots = new Map();
  /** @type {Hole[]} */
  const holes = [];
  for (const [, named, more, runs] of pattern.matchAll(HOLE)) {
    const name = named ?? String.fromCharCode(97 + slots.size);
    const slot = slots.get(name) ?? readSlot(name, runs);
    slots.set(name, slot);
    holes.push({ slot, more: Number(more ?? 0) });
  }
  const byName = [...slots.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
  const pieces = pattern.replace(HOLE, "\n").split("\n");
  const escaped = pieces.map((piece) => piece.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const text = escaped.reduce((text, piece, at) => text + (holes[at - 1].slot.letters ? "([a-z])" : "(\\d+)") + piece);
  return { pieces, holes, text: new RegExp(`^${text}$`), slots: byName, total };
}

/** @type {(name: string, text: string) => Slot} */
function readSlot(name, text) {
  const slot = { name, letters: /^[a-z]/.test(text), runs: /** @type {Slot["runs"]} */ ([]) };
  slot.runs = text.split(",").map((run) => {
    const [ends, step] = run.split("/");
    const [from, to = from] = ends.split("..").map((end) => numberOf(slot, end));
    return [from, to, Number(step ?? 1)];
  });
  return slot;
}

/** @type {(family: ReadFamily, values: Map<string, number>) => boolean} */
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

/** Returns the text of a move. @type {(family: ReadFamily, values: Map<string, number>) => string} */
export function written({ pieces, holes }, values) {
  return pieces.reduce((text, piece, at) => {
    const { slot, more } = holes[at - 1];
    return text + textOf(slot, (values.get(slot.name) ?? 0) + more) + piece;
  });
}

const COMBINATIONS_MOST = 20_000;

/** @type {(family: ReadFamily, most: number) => Map<string, number>[]} */
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
