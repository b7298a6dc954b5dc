/**
 * A position that is set and played without a match. It asks the server about each position, and has what the pictures
 * and a `MoveDraft` want of a match: `new MoveDraft(study, study, confirms)` plays in it.
 */
import { LegalMoves } from "./legal_moves.js";

/** The answers that are kept; beyond it all are asked for anew. */
const KEPT_MAX = 200;

/** @typedef {{ before: StudyAnswer, move: string, after: StudyAnswer }} Played */

/** Dispatches `change` when another position is shown, and `played` when the reader made a move. */
export class Study extends EventTarget {
  match = "study";
  /** Nothing of it is sent again after a reload. */
  requests = { takeResentMove: () => null };
  /** Changes with each position, as that of a match. */
  version = 0;
  seat = /** @type {const} */ ("creator");
  lost = false;
  /** @type {{ move: string, version: number, answer: StudyAnswer }[]} */
  plies = [];
  /** What is known of the start; null before the first position. @type {StudyAnswer | null} */
  start = null;
  /** @type {Map<string, Promise<StudyAnswer>>} */
  #kept = new Map();

  /** @param {Asked} connection @param {string} game */
  constructor(connection, game) {
    super();
    this.connection = connection;
    this.game = game;
  }

  /** What is known of the shown position; null before the first one. */
  get here() {
    return this.plies.at(-1)?.answer ?? this.start;
  }

  /** The state of a match in this position. */
  get state() {
    const { position = "", legal = [] } = this.here ?? {};
    const start = this.start?.position ?? "";
    return { game: this.game, start, position, legal, phase: legal.length ? "playing" : "over", turn: this.seat };
  }

  /** Returns the position after so many plies. @param {number} ply */
  position(ply) {
    return (ply ? this.plies[ply - 1]?.answer : this.start)?.position ?? null;
  }

  /** About the position after the move, if any. @type {(position: string, move?: string) => Promise<StudyAnswer>} */
  ask(position, move) {
    const key = `${position} ${move ?? ""}`;
    const kept = this.#kept.get(key);
    if (kept) return kept;
    if (this.#kept.size >= KEPT_MAX) this.#kept.clear();
    const answer = this.connection.request({ type: "study", game: this.game, position, ...(move && { move }) });
    this.#kept.set(key, answer);
    answer.catch(() => this.#kept.delete(key));
    return answer;
  }

  /** Shows a position as the start. @param {string} position */
  async set(position) {
    this.begin(await this.ask(position));
  }

  /** Shows a position of which everything is known. @param {StudyAnswer} answer */
  begin(answer) {
    this.start = answer;
    this.plies = [];
    this.#changed();
  }

  /** Plays a move; the error is the refusal of an illegal one. @param {string} move */
  async play(move) {
    const { version, here } = this;
    const answer = await this.ask(here?.position ?? "", move);
    if (version !== this.version) return;
    this.plies.push({ move, version: version + 1, answer });
    this.#changed();
  }

  /** Takes plies back. @param {number} [count] */
  back(count = 1) {
    this.plies.splice(Math.max(0, this.plies.length - count));
    this.#changed();
  }

  /** Answers the requests of a `MoveDraft`. @type {(body: { type: string, move?: string }) => Promise<any>} */
  async request({ type, move = "" }) {
    if (type === "play") return this.#make(move);
    const { position, legal } = await this.ask(this.here?.position ?? "", move);
    return { position, over: legal.length === 0 };
  }

  /** Plays a move of the reader. @param {string} move */
  async #make(move) {
    const { version, here: before } = this;
    await this.play(move);
    if (this.version === version) return;
    this.dispatchEvent(new CustomEvent("played", { detail: { before, move, after: this.here } }));
  }

  #changed() {
    this.version++;
    this.dispatchEvent(new Event("change"));
  }
}

/**
 * Returns whether a move led to a position that is lost for whoever is to move there; where that is not known, whether
 * the move is among the winning ones.
 * @type {(before: StudyAnswer, move: string, after: StudyAnswer) => boolean}
 */
export function wins(before, move, after) {
  return after.outcome ? after.outcome === "P" : new LegalMoves(before.winning).allows(move);
}

/** The moves among which a reply in a lost position is looked for. */
const REPLIES_MAX = 24;

/**
 * Returns a good reply: the winning move that the simplest idea finds, or another one; in a lost position one that
 * follows from the position, so that a try at the same puzzle is answered alike.
 * @param {StudyAnswer} answer
 */
export function reply({ position, legal, winning, best }) {
  const [found = best] = best ? [best] : new LegalMoves(winning).list(1);
  if (found) return found;
  // What puts time back would only be undone.
  const moves = new LegalMoves(legal).list(REPLIES_MAX).filter((move) => !/^time \+/.test(move));
  const number = [...position].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 9973, 7);
  return moves[number % moves.length] ?? new LegalMoves(legal).list(1)[0];
}
