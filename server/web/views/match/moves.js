/**
 * The moves so far, and the way through them: a list, a slider, and a small player for finished matches.
 *
 * @typedef {import("../match.js").Table} Table
 */
import { fill, h, set } from "../../dom/build.js";
import { icon } from "../../dom/icons.js";
import { t } from "../../words/words.js";
import { called } from "../player_names.js";

const STEP_MS = 1_100;

/** @param {HTMLElement} acts  what stands beside the title */
export function moves(acts) {
  const list = h("ol.moves");
  const slider = h("input", { type: "range", min: 0, step: 1, "aria-label": t("moves.scrub") });
  /**
   * @param {Parameters<typeof icon>[0]} sign
   * @param {import("../../words/words.js").Word} word
   * @param {() => void} onclick
   */
  const button = (sign, word, onclick) =>
    h(
      "button.icon",
      { type: "button", "aria-label": t(word), title: t(word), onclick: () => (pause(), onclick()) },
      icon(sign),
    );
  const play = h("button.icon", { type: "button" });
  const walk = h(
    "div.walk",
    null,
    button("first", "moves.first", () => table?.look(0)),
    button("back", "moves.previous", () => table?.look((table?.ply ?? 1) - 1)),
    play,
    button("on", "moves.next", () => table?.look((table?.ply ?? 0) + 1)),
    button("last", "moves.newest", () => table?.look(table.follow.plies.length)),
  );
  const element = h(
    "section.panel.moves-panel",
    null,
    h("div.moves-head", null, h("h2", null, t("moves.title")), acts),
    list,
    slider,
    walk,
  );
  /** @type {Table | null} */
  let table = null;
  let timer = 0;
  let shown = "";

  function pause() {
    clearInterval(timer);
    timer = 0;
    label();
  }
  function label() {
    fill(play, icon(timer ? "pause" : "play"));
    set(play, {
      "aria-label": timer ? t("moves.pause") : t("moves.play"),
      title: timer ? t("moves.pause") : t("moves.play"),
    });
  }
  play.addEventListener("click", () => {
    if (timer) return pause();
    if (table?.live) table.look(0);
    timer = setInterval(() => {
      if (!table || table.ply + 1 >= table.follow.plies.length) pause();
      table?.look(table.ply + 1);
    }, STEP_MS);
    label();
  });
  slider.addEventListener("input", () => {
    pause();
    table?.look(Number(slider.value));
  });
  label();

  /** @param {Table} next */
  function update(next) {
    table = next;
    const { follow, state, ply, look } = next;
    const count = follow.plies.length;
    set(slider, { max: count });
    slider.value = String(ply);
    slider.disabled = count === 0;
    for (const button of walk.children) button.disabled = count === 0;
    const marks = given_away.get(follow) ?? new Set();
    const key = `${count}:${ply}:${marks.size}`;
    if (key === shown) return;
    shown = key;
    if (count === 0) return fill(list, h("li.quiet.none", null, t("moves.none")));
    const entries = follow.plies.map(({ seat, move, version }, index) => {
      const name = called(state.players[seat]);
      const here = index + 1 === ply;
      const bad = marks.has(version);
      return h(
        "li",
        null,
        h(
          `button.ply.${seat}${here ? ".here" : ""}${bad ? ".gave-away" : ""}`,
          {
            type: "button",
            "aria-current": here ? "step" : null,
            title: bad ? t("moves.gave_away") : null,
            onclick: () => (pause(), look(index + 1)),
          },
          h("span.ply-number", null, String(index + 1)),
          h("span.unseen", null, ` ${name}: `),
          h("span.ply-move", null, move),
          bad ? h("span.ply-mark", { "aria-hidden": "true" }, "?!") : null,
          bad ? h("span.unseen", null, ` ${t("moves.gave_away")}`) : null,
        ),
      );
    });
    fill(list, ...entries);
    const current = list.querySelector(".here");
    if (current) list.scrollTop = current.offsetTop - list.clientHeight / 2;
  }
  return { element, update, leave: pause };
}

/**
 * Versions of moves that gave a won position away, once an analysis said so.
 * @type {WeakMap<import("../../wire/followed_match.js").Follow, Set<number>>}
 */
export const given_away = new WeakMap();
