/**
 * The way to an agreed rematch: whoever looks at the finished match and touches nothing is taken there. Whoever stays,
 * or looks elsewhere, is awaited until they come.
 *
 * @import { ShownMatch } from "../match.js"
 */
import { announce } from "../../dom/announce.js";
import { h, say } from "../../dom/build.js";
import { t } from "../../words/words.js";

/** The time without a touch, in seconds. */
const STILL_S = 3;
const TOUCHES = ["pointerdown", "keydown", "wheel"];

/** @param {ShownMatch} view */
export function carry(view) {
  const element = h("span");
  /** Whether the rematch was agreed on when the view last looked; undefined before that. @type {boolean | undefined} */
  let agreed;
  let left = 0;
  let timer = 0;
  const touches = new AbortController();
  const { signal } = touches;

  /** Follows the state: what was agreed on before the match was opened takes nobody away from it. */
  function update() {
    const now = view.state.rematch?.state === "agreed";
    if (now && agreed === false && view.followed.seat) begin();
    agreed = now;
  }

  function begin() {
    view.awaited = true;
    left = STILL_S;
    for (const touch of TOUCHES) addEventListener(touch, stay, { signal });
    show();
    announce(element.textContent ?? "");
    timer = setInterval(tick, 1_000);
  }

  function tick() {
    // Nobody is here: the clocks of the rematch would begin without its player.
    left = document.hidden ? STILL_S : left - 1;
    const { rematch } = view.state;
    if (left > 0) return show();
    stop();
    if (rematch?.state === "agreed") view.page.go(`/m/${rematch.next.code}`);
  }

  function show() {
    say(element, left > 0 ? t("match.rematch_in", { seconds: left }) : "");
  }

  function stop() {
    clearInterval(timer);
    touches.abort();
  }

  function stay() {
    stop();
    left = 0;
    show();
    view.refresh();
  }
  return { element, update, stay, stop, counts: () => left > 0 };
}
