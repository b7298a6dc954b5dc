/**
 * A task on a picture: find moves that win. Every winning one is right. A wrong one is answered on the board by the
 * reply that refutes it, and taken back.
 *
 * @import { Page } from "../../main.js"
 * @import { Child } from "../../dom/build.js"
 * @import { StudyAnswer } from "../../wire/types.js"
 */
import { h } from "../../dom/build.js";
import { stillness } from "../../dom/motion.js";
import { reply, wins } from "../../play/study.js";
import { done } from "../../words/moves.js";
import { refusalText } from "../../words/refused.js";
import { t } from "../../words/words.js";
import { Bench } from "./bench.js";

/** The time after a move until it is answered, so that both are seen. */
const REPLY_MS = 1_100;

/**
 * @typedef {object} Task
 * @property {string} game
 * @property {string | StudyAnswer} position
 * @property {number} [par]         the winning moves until it is solved, unless the game ends before
 * @property {string} words
 * @property {(missed: boolean) => Child[]} solved   what can be done then
 * @property {() => void} [missed]  is told of the first wrong move, or that the reader was shown one
 */

/** @type {(page: Page, task: Task) => Bench} */
export function task(page, { game, position, par = 1, words, solved, missed }) {
  const bench = new Bench(page, game, played);
  const { followed } = bench;
  let [own, isMissed, timer] = [0, false, 0];
  const help = h("button.small.show-me", { onclick: show }, t("task.show"));

  /** Waits, unless the view is left meanwhile. @returns {Promise<void>} */
  const pause = () => new Promise((go) => (timer = setTimeout(go, stillness() ? REPLY_MS / 4 : REPLY_MS)));

  function miss() {
    if (!isMissed) missed?.();
    isMissed = true;
  }

  function ask() {
    bench.free = true;
    bench.tell([h("span", words)], help);
  }

  /** Chooses a winning move for the reader, who still plays it. */
  function show() {
    miss();
    bench.focus();
    if (followed.here) bench.draft.propose(reply(followed.here));
  }

  /** Answers a move on the board; without an answer it is taken back. @param {string} answer */
  async function respond(answer) {
    try {
      await followed.play(answer);
      return true;
    } catch (error) {
      followed.back();
      own = followed.plies.length / 2;
      bench.free = true;
      bench.tell([h("span.fault", refusalText(/** @type {Error} */ (error)))], help);
      return false;
    }
  }

  /** @type {import("./bench.js").Played} */
  async function played(before, move, after) {
    bench.free = false;
    if (!wins(before, move, after)) return refute(before, move, after);
    own++;
    const isOver = !after.legal.length;
    if (isOver || own >= par) {
      bench.tell([h("b.is-right", t(isOver ? "task.won" : "task.right"))], ...solved(isMissed));
      return bench.focus(".question .primary");
    }
    bench.tell([h("b.is-right", t("task.right"))]);
    await pause();
    const answer = reply(after);
    if (!(await respond(answer))) return;
    bench.free = true;
    bench.tell([h("span", t("task.on", { move: done(answer, after.position) }))], help);
  }

  /** @type {(...played: Parameters<import("./bench.js").Played>) => Promise<void>} */
  async function refute(before, move, after) {
    miss();
    const wrong = t("task.wrong", { move: done(move, before.position) });
    bench.tell([h("b.is-wrong", wrong)]);
    const isOver = !after.legal.length;
    let answer = "";
    if (!isOver) {
      await pause();
      answer = reply(after);
      if (!(await respond(answer))) return;
    }
    const why = isOver ? t("task.over") : t("task.refuted", { move: done(answer, after.position) });
    const back = () => {
      own = Math.min(own, followed.plies.length / 2);
      followed.back(isOver ? 1 : 2);
      ask();
      bench.focus();
    };
    bench.tell(
      [h("b.is-wrong", wrong), h("span", why)],
      h("button.primary.take-back", { onclick: back }, t("task.back")),
    );
    bench.focus(".take-back");
  }

  const begun = typeof position === "string" ? followed.set(position) : followed.begin(position);
  Promise.resolve(begun).then(ask, (error) => bench.tell([h("span.fault", refusalText(error))]));
  const { leave } = bench;
  bench.leave = () => {
    clearTimeout(timer);
    leave.call(bench);
  };
  return bench;
}
