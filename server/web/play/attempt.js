/**
 * The search for a winning move in a position, on its picture. Any winning move is right; a wrong one is answered by
 * the reply that refutes it, and both are taken back.
 *
 * @import { Connection } from "../wire/connection.js"
 */
import { MoveDraft } from "./move_draft.js";
import { Study, reply, wins } from "./study.js";

/** The time for which a wrong move, and the reply to it, are seen. */
const [WRONG_MS, REPLY_MS] = [900, 2_200];

/** Dispatches `change` when anything of it changes. */
export class Attempt extends EventTarget {
  /**
   * The move that was tried last, with the positions before and after it; `reply` refutes it, and it wins where there
   * is none.
   * @type {{ move: string, before: string, after: string, reply?: string } | null}
   */
  tried = null;
  /** Whether a wrong move is being answered. */
  answering = false;
  #timer = 0;

  /**
   * @param {Pick<Connection, "request">} connection
   * @param {string} game
   */
  constructor(connection, game) {
    super();
    this.study = new Study(connection, game);
    this.draft = new MoveDraft(this.study, this.study, () => false);
    const changed = () => this.dispatchEvent(new Event("change"));
    this.draft.addEventListener("change", changed);
    this.study.addEventListener("change", () => (this.#judge(), changed()));
  }

  /** Whether a move may be chosen. */
  get open() {
    return !this.answering && this.study.here !== null && this.study.plies.length === 0;
  }

  /** Shows another position. @param {string} position */
  begin(position) {
    this.stop();
    this.tried = null;
    return this.study.set(position);
  }

  /** Says of a move that was just made whether it wins. */
  #judge() {
    const [made, ...others] = this.study.plies;
    if (!made || others.length || this.answering) return;
    const before = this.study.start;
    if (!before) return;
    this.tried = { move: made.move, before: before.position, after: made.answer.position };
    if (wins(before, made.move, made.answer)) return;
    this.tried.reply = reply(made.answer);
    this.answering = true;
    this.#after(WRONG_MS, async () => {
      await this.study.play(this.tried?.reply ?? "");
      this.#after(REPLY_MS, () => {
        this.answering = false;
        this.study.back(2);
      });
    });
  }

  /** @type {(ms: number, act: () => unknown) => void} */
  #after(ms, act) {
    this.#timer = setTimeout(act, ms);
  }

  /** Ends what is still shown. */
  stop() {
    clearTimeout(this.#timer);
    this.answering = false;
  }
}
