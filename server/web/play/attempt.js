/**
 * The search for winning moves in a position, on its picture. Any winning move is right. A wrong one is answered by
 * the reply that refutes it; both stay on the board until the reader takes them back.
 *
 * @import { Played } from "./study.js"
 */
import { MoveDraft } from "./move_draft.js";
import { Study, reply, wins } from "./study.js";

/** The time after a move until it is answered, so that both are seen. */
const REPLY_MS = 900;

/** Dispatches `phase` when there is something else to do, and `change` when anything of it changes. */
export class Attempt extends EventTarget {
  /** @type {"open" | "answering" | "refuted" | "solved"} */
  phase = "open";
  /**
   * The reader's last move, with the positions before and after it, whether it wins and ends the game, and the reply.
   * @type {{ move: string, before: string, after: string, wins: boolean, ends: boolean, reply?: string } | null}
   */
  tried = null;
  /** Why a move was not answered. @type {Error | null} */
  fault = null;
  #par = 1;
  #timer = 0;

  /** @param {Asked} connection @param {string} game @param {() => boolean} [confirms] as of a `MoveDraft` */
  constructor(connection, game, confirms = () => false) {
    super();
    this.study = new Study(connection, game);
    this.draft = new MoveDraft(this.study, this.study, confirms);
    const changed = () => this.dispatchEvent(new Event("change"));
    for (const one of [this.draft, this.study]) one.addEventListener("change", changed);
    this.study.addEventListener("played", (event) => this.#judge(/** @type {CustomEvent} */ (event).detail));
  }

  get open() {
    return this.phase === "open" && this.study.here !== null;
  }

  /**
   * Shows a position. It is solved by so many winning moves, unless the game ends before.
   * @type {(position: string | StudyAnswer, par?: number) => Promise<void>}
   */
  async begin(position, par = 1) {
    this.stop();
    this.#par = par;
    this.tried = null;
    if (typeof position === "string") await this.study.set(position);
    else this.study.begin(position);
    this.#enter("open");
  }

  takeBack() {
    this.study.back(this.tried?.reply ? 2 : 1);
    this.#enter("open");
  }

  /** @param {Played} played */
  #judge({ before, move, after }) {
    const ends = !after.legal.length;
    const right = wins(before, move, after);
    this.tried = { move, before: before.position, after: after.position, wins: right, ends };
    const own = Math.ceil(this.study.plies.length / 2);
    if (right && (ends || own >= this.#par)) return this.#enter("solved");
    if (ends) return this.#enter("refuted");
    this.#enter("answering");
    this.#timer = setTimeout(() => this.#answer(after), REPLY_MS);
  }

  /** Answers the last move on the board; without an answer it is taken back. @param {StudyAnswer} after */
  async #answer(after) {
    const { tried } = this;
    const move = reply(after);
    const fault = await this.study.play(move).then(
      () => null,
      (error) => error,
    );
    // Another position may have been begun meanwhile.
    if (!tried || this.tried !== tried || this.phase !== "answering") return;
    if (fault) this.study.back();
    else tried.reply = move;
    this.#enter(fault || tried.wins ? "open" : "refuted", fault);
  }

  /** @type {(phase: Attempt["phase"], fault?: Error | null) => void} */
  #enter(phase, fault = null) {
    this.phase = phase;
    this.fault = fault;
    this.dispatchEvent(new Event("phase"));
    this.dispatchEvent(new Event("change"));
  }

  stop() {
    clearTimeout(this.#timer);
    this.phase = "open";
  }
}
