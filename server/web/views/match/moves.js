/** The list of moves, with a slider and buttons to step through them. */
import { changes, fill, h, say, set } from "../../dom/build.js";
import { afterPaint } from "../../dom/frames.js";
import { icon, iconButton } from "../../dom/icons.js";
import { done } from "../../words/moves.js";
import { t } from "../../words/words.js";
import { other, seatName } from "../player_names.js";

const STEP_MS = 1_100;
/** How long a second press resigns. */
const CONFIRM_MS = 4_000;

/** @type {(view: ShownMatch, buttons: HTMLElement) => Part} */
export function moves(view, buttons) {
  const list = h("ol.moves");
  const slider = h("input", { type: "range", min: 0, step: 1, "aria-label": t("moves.scrub") });
  /** @type {(sign: Parameters<typeof icon>[0], word: Word, ply: () => number) => any} */
  const button = (sign, word, ply) => {
    const onclick = () => {
      pause();
      view.look(ply());
    };
    return iconButton(sign, t(word), onclick);
  };
  const play = h("button.icon");
  const walk = h(
    "div.walk",
    button("first", "moves.first", () => 0),
    button("back", "moves.previous", () => view.ply - 1),
    play,
    button("on", "moves.next", () => view.ply + 1),
    button("last", "moves.newest", () => view.followed.plies.length),
  );
  const head = h("div.moves-head.row", h("h2", t("moves.title")), buttons);
  const element = h("section.panel.moves-panel", head, list, slider, walk);
  let timer = 0;
  const isOther = changes();
  /** The shown moves, with what each depends on. @type {{ key: string, element: HTMLElement }[]} */
  const rows = [];
  // Reading a place lays the page out, so it is done when the frame has done this.
  const scrolling = afterPaint(() => {
    /** @type {HTMLElement | null} */
    const current = list.querySelector(".here");
    if (current) list.scrollTop = current.offsetTop - list.clientHeight / 2;
  });

  function pause() {
    clearInterval(timer);
    timer = 0;
    label();
  }
  function label() {
    fill(play, icon(timer ? "pause" : "play"));
    const words = t(timer ? "moves.pause" : "moves.play");
    set(play, { "aria-label": words, title: words });
  }
  function playBack() {
    if (timer) return pause();
    if (view.live) view.look(0);
    timer = setInterval(() => {
      if (view.ply + 1 >= view.followed.plies.length) pause();
      view.look(view.ply + 1);
    }, STEP_MS);
    label();
  }
  play.addEventListener("click", playBack);
  slider.addEventListener("input", () => {
    pause();
    view.look(Number(slider.value));
  });
  label();
  list.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    const step = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    pause();
    walking = true;
    view.look(Math.max(1, Math.min(view.followed.plies.length, view.ply + step)));
  });
  /** Whether the arrow keys walk the list, so that the focus follows the shown move. */
  let walking = false;

  function update() {
    const { followed, state, ply } = view;
    const count = followed.plies.length;
    set(slider, { max: count });
    slider.value = String(ply);
    slider.disabled = count === 0;
    for (const button of walk.children) button.disabled = count === 0;
    const marks = view.review.turningPoints();
    const open = view.sheets.isOpen("moves");
    const last = followed.plies.at(-1)?.version;
    if (!isOther(count, ply, marks, followed.seat, last, state.players, open)) return;
    if (!count || !rows.length) fill(list, count ? null : h("li.quiet.none", t("moves.none")));
    followed.plies.forEach((move, index) => showRow(index, move, marks.includes(index + 1)));
    for (const { element } of rows.splice(count)) element.remove();
    if (walking) list.querySelector(/** @type {"button"} */ (".here"))?.focus({ preventScroll: true });
    walking = false;
    if (open) scrolling.request();
  }

  /**
   * Shows a move in its row, which stays the same element as long as only its mark as the shown one changes. A bad move
   * gave a won position away.
   * @type {(index: number, ply: { seat: Seat, move: string }, bad: boolean) => void}
   */
  function showRow(index, { seat, move }, bad) {
    const { followed, state, ply } = view;
    const name = seat === followed.seat ? t("player.you") : seatName(state, seat);
    const key = JSON.stringify([seat, move, bad, name]);
    if (rows[index]?.key !== key) {
      const given = { title: bad ? t("moves.gave_away") : null, onclick: () => (pause(), view.look(index + 1)) };
      const content = [
        h("span.ply-number", index + 1),
        h(`span.ply-name.${seat}`, name, h("span.unseen", " ")),
        h("span.ply-move", { title: move }, done(move, followed.position(index))),
        bad && h("span.ply-mark", { "aria-hidden": "true" }, "?!"),
        bad && h("span.unseen", ` ${t("moves.gave_away")}`),
      ];
      const row = { key, element: h("li", h(`button.ply.${seat}${bad ? ".gave-away" : ""}`, given, ...content)) };
      if (rows[index]) rows[index].element.replaceWith(row.element);
      else list.append(row.element);
      rows[index] = row;
    }
    const button = /** @type {HTMLElement} */ (rows[index].element.firstElementChild);
    const here = index + 1 === ply;
    button.classList.toggle("here", here);
    set(button, { "aria-current": here ? "step" : null });
  }

  function leave() {
    pause();
    scrolling.stop();
  }
  return { element, update, leave };
}

/** The buttons of a player besides moving: ask for a takeback, and resign. @param {ShownMatch} view */
export function actions(view) {
  let sure = false;
  let timer = 0;
  const onclick = () => view.send({ type: "offer-takeback" });
  const takeback = h("button.small.takeback", { onclick }, t("takeback.ask"));
  const resign = h("button.small.resign", { onclick: press });
  const element = h("div.row.actions", takeback, resign);
  confirm(false);

  function press() {
    if (sure) view.send({ type: "resign" });
    confirm(!sure);
  }

  /** Shows whether the next press resigns. @param {boolean} next */
  function confirm(next) {
    sure = next;
    clearTimeout(timer);
    if (sure) timer = setTimeout(confirm, CONFIRM_MS, false);
    say(resign, t(sure ? "match.resign_sure" : "match.resign"));
    resign.classList.toggle("danger", sure);
  }

  function update() {
    const { state, followed } = view;
    element.hidden = state.phase !== "playing" || followed.seat === null;
    takeback.disabled = state.takeback !== undefined || !followed.plies.some(({ seat }) => seat === followed.seat);
    // Outside matches for learning a bot always declines.
    const declines = !!followed.seat && state.players[other(followed.seat)]?.kind === "bot" && !state.learning;
    if (declines) takeback.remove();
    else if (!takeback.parentNode) element.prepend(takeback);
  }
  return { element, update, leave: () => clearTimeout(timer) };
}
