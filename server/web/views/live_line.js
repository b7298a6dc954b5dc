/**
 * The live line: one line above every view, which leads to the own match that is the most urgent of those that the view
 * does not show. So nobody loses a match unseen. It also marks the title, and notices when the viewer sees an end.
 *
 * It lies over the header and moves nothing. An open dialog makes the rest of the page inert, so that the line moves
 * into that dialog; its place in the window stays the same.
 */
import { announce } from "../dom/announce.js";
import { h, say, set } from "../dom/build.js";
import { isEnd } from "../wire/own_matches.js";
import { t } from "../words/words.js";
import { amount } from "./durations.js";
import { leftToMove, lineText, opponentName, waitsForViewer } from "./match_state.js";
import { codeOf } from "./match_address.js";
import { markElsewhere } from "./match/calls.js";

const TICK_MS = 1_000;
/** The time left, in milliseconds, below which the clock is highlighted, as in the match. */
const SHORT_MS = 20_000;
/** Longer than any clock. */
const LONG_MS = 1e12;

/**
 * Shows the line after `first`, an event about own matches, and returns its update, for changes of the view.
 * @type {(connection: Connection, first: Event) => () => void}
 */
export function liveLine(connection, first) {
  const words = h("span.live-words");
  const clock = h("b.clock", { role: "timer", "aria-live": "off" });
  const more = h("span.badge");
  const element = h("a.live-line", { "data-go": true, onclick: () => dialog()?.close() }, words, clock, more);
  let timer = 0;
  /** What the line says of a match that needs the viewer; empty for another one, and without a match. */
  let call = "";
  /** Whether the viewer was told what waited when the page was opened. */
  let told = false;

  function update() {
    clearTimeout(timer);
    const here = document.hidden || dialog() ? null : codeOf(location.pathname);
    for (const one of connection.own.current) {
      if (one.code === here && isEnd(one)) connection.own.see(one.match);
    }
    const now = connection.now();
    const elsewhere = connection.own.current.filter(({ code }) => code !== here);
    const [first, ...others] = elsewhere.sort((one, next) => urgency(one, now) - urgency(next, now));
    markElsewhere(elsewhere.some(calls));
    document.documentElement.classList.toggle("live", !!first);
    call = "";
    if (!first) return element.remove();
    const host = dialog() ?? /** @type {HTMLElement} */ (document.getElementById("top"));
    if (element.parentNode !== host) host.append(element);
    show(first, others.length, leftToMove(first, now));
  }

  /** @type {(one: GuestMatch, others: number, left: number | null) => void} */
  function show(one, others, left) {
    const line = lineText(one, opponentName(one, connection) ?? "");
    call = calls(one) ? line : "";
    say(words, line);
    say(clock, left === null ? "" : amount(left));
    say(more, others ? `+${others}` : "");
    clock.classList.toggle("short", left !== null && left < SHORT_MS);
    element.classList.toggle("calls", !!call);
    element.classList.toggle("pressing", isEnd(one) || (!!call && left !== null));
    const title = others ? `${line} (${t("live.more", { count: others })})` : line;
    set(element, { href: `/m/${one.code}`, title });
    if (left) timer = setTimeout(update, (left % TICK_MS) + 1);
  }

  /** Changes are announced by `callElsewhere`, so that this announces only what it finds. @param {Event} event */
  function onOwn(event) {
    update();
    const isChange = /** @type {CustomEvent} */ (event).detail.some((/** @type {any} */ { before }) => before);
    if (call && !isChange && !told) announce(call);
    told ||= !!call || isChange;
  }

  connection.addEventListener("own", onOwn);
  document.addEventListener("visibilitychange", update);
  // Dialogs open and close, of which neither event bubbles.
  for (const event of ["toggle", "close"]) document.addEventListener(event, update, true);
  onOwn(first);
  return update;
}

/** @returns {HTMLDialogElement | undefined} the dialog that was opened last */
function dialog() {
  return /** @type {HTMLDialogElement[]} */ ([...document.querySelectorAll("dialog[open]")]).at(-1);
}

/** Returns whether a match needs the viewer, to act or to look at its end. @param {GuestMatch} one */
function calls(one) {
  return isEnd(one) || waitsForViewer(one);
}

/**
 * Returns a number by which matches are ordered: those that wait under a clock by the time left, then ends, then those
 * that wait without a clock, then the others.
 * @type {(one: GuestMatch, now: number) => number}
 */
function urgency(one, now) {
  const left = waitsForViewer(one) ? leftToMove(one, now) : null;
  if (left !== null) return left;
  return LONG_MS * (isEnd(one) ? 1 : waitsForViewer(one) ? 2 : 3);
}
