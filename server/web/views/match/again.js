/**
 * What follows on a match: a rematch, and another match. Whoever looks at the finished match and touches nothing is
 * taken to an agreed rematch. Whoever stays, or looks elsewhere, is awaited until they come.
 */
import { announce } from "../../dom/announce.js";
import { h, say } from "../../dom/build.js";
import { t } from "../../words/words.js";
import { other, seatName } from "../player_names.js";
import { start } from "../start_match.js";

/** The time without a touch, in seconds. */
const STILL_S = 3;
const TOUCHES = ["pointerdown", "keydown", "wheel"];

/** Whether nobody is there who could answer an offer. @param {ShownMatch} view */
function isAlone({ followed: { seat }, state }) {
  return !seat || state.players[other(seat)]?.kind === "former";
}

/** Returns the level of the bot that the viewer played against. @param {ShownMatch} view */
export function botLevel({ followed: { seat }, state }) {
  const opponent = seat && state.players[other(seat)];
  return opponent && opponent.kind === "bot" ? opponent.level : null;
}

/** Returns what is said of a rematch. @type {(view: ShownMatch, carrying: Element) => Node | string} */
export function offered(view, carrying) {
  const { state, followed } = view;
  const { rematch } = state;
  if (rematch?.state === "agreed") return carrying;
  if (rematch?.state !== "offered" || isAlone(view)) return "";
  if (rematch.by === followed.seat) return t("match.rematch_offered");
  return t("announce.rematch", { name: seatName(state, rematch.by) });
}

/** Begins a match at once. @type {(view: ShownMatch, tag: string, words: string, terms: () => any) => any} */
export function beginButton(view, tag, words, terms) {
  const onclick = (/** @type {any} */ { currentTarget: button }) => {
    button.disabled = true;
    start(view.page, terms()).catch((error) => ((button.disabled = false), view.refuse(error)));
  };
  return h(tag, { onclick }, words);
}

/** Another match: against the same bot at once, or else the form with the same game. @param {ShownMatch} view */
function newMatch(view) {
  const { game, time, learning, visibility } = view.state;
  const level = botLevel(view);
  if (!level) return h("a.button", { href: `/#new-${game}`, "data-go": true }, t("match.again"));
  const terms = () => ({ game, opponent: { bot: level }, time, learning, visibility });
  return beginButton(view, "button.again", t("match.again"), terms);
}

/** @type {(view: ShownMatch, carrying: ReturnType<typeof carry>) => any[]} */
export function again(view, carrying) {
  const { state, followed, page, refuse } = view;
  const { rematch } = state;
  const another = newMatch(view);
  if (rematch?.state === "agreed") {
    const words = t(followed.seat ? "match.to_rematch" : "match.rematch_watch");
    const stay = carrying.counts() ? h("button", { onclick: carrying.stay }, t("match.rematch_stay")) : null;
    return [h("a.button.primary.to-rematch", { href: `/m/${rematch.next.code}`, "data-go": true }, words), stay];
  }
  if (isAlone(view)) return [another];
  /** @type {(type: "offer-rematch" | "accept-rematch") => Promise<unknown>} */
  const send = (type) =>
    page.connection.request({ type, match: followed.match }).then(
      (accepted) => accepted.next && page.go(`/m/${accepted.next.code}`),
      // Both players offered a rematch at the same moment, so the second offer is an acceptance.
      (error) =>
        type === "offer-rematch" && error.reason === "rematch-offered" ? send("accept-rematch") : refuse(error),
    );
  const own = rematch?.by === followed.seat;
  const onclick = () => send(rematch ? "accept-rematch" : "offer-rematch");
  const isOffered = rematch && !own;
  const words = t(isOffered ? "match.rematch_accept" : "match.rematch");
  return [h(`button.rematch${isOffered ? ".primary" : ""}`, { disabled: own, onclick }, words), another];
}

/** The way to an agreed rematch. @param {ShownMatch} view */
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
    // Nobody is here who would see where the page goes.
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
