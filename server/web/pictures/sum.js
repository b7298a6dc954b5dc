/**
 * Several games at once: a strip with a small picture of each, always in sight, and one of them large below it. A
 * chosen move, and the other player's, shows its own game.
 */
import { fill, h, set } from "../dom/build.js";
import { t } from "../words/words.js";
import { title } from "../words/games.js";
import { still } from "./picture.js";

/** @type {(pictureOf: (game: string) => Picture) => () => Picture} */
export function sum(pictureOf) {
  return () => {
    const strip = h("div.sum-strip", { role: "group", "aria-label": title({ id: "sum" }) });
    const large = h("div.sum-large", { role: "group" });
    const element = h("div.sum", strip, large);
    /** @typedef {{ card: HTMLElement, small: Picture, picture: Picture, drawn: string }} Component */
    /** @type {Component[]} */
    let drawn = [];
    let [games, shown, followed] = ["", 0, ""];
    let scene = still("");

    /** @type {(game: string, index: number) => Component} */
    function component(game, index) {
      const [small, picture] = [pictureOf(game), pictureOf(game)];
      const frame = h("span.game-picture", { "aria-hidden": "true", inert: true }, small.element);
      const onclick = () => {
        shown = index;
        update(scene);
      };
      const card = h("button.component", { onclick }, `${index + 1} · ${name(game)}`, frame);
      return { card, small, picture, drawn: "" };
    }

    /** @param {Scene} next */
    function update(next) {
      scene = next;
      const [parts, starts, ghosts] = [split(next.position), split(next.start), next.ghost ? split(next.ghost) : null];
      const kinds = parts.map(({ game }) => game).join();
      if (kinds !== games) {
        games = kinds;
        drawn = parts.map(({ game }, index) => component(game, index));
        fill(strip, ...drawn.map(({ card }) => card));
      }
      follow(next);
      drawn.forEach(({ card, small, picture }, index) => {
        const prefix = `${index + 1}: `;
        const inside = (/** @type {string | null} */ move) =>
          move?.startsWith(prefix) ? move.slice(prefix.length) : null;
        const [chosen, last, { position }] = [inside(next.chosen), inside(next.last), parts[index]];
        const start = starts[index]?.game === parts[index].game ? starts[index].position : position;
        const ghost = chosen && ghosts ? (ghosts[index]?.position ?? null) : null;
        const winning = next.winning?.within(prefix) ?? null;
        const key = JSON.stringify([position, start, ghost, last, innerWidth]);
        if (drawn[index].drawn !== key) small.update(still(position, { start, ghost, last }));
        drawn[index].drawn = key;
        set(card, { "aria-pressed": String(index === shown) });
        card.classList.toggle("moved", last !== null);
        card.classList.toggle("winning", !!winning && !winning.empty);
        if (index !== shown) return;
        if (picture.element.parentNode !== large) fill(large, picture.element);
        set(large, { "aria-label": `${t("picture.component", { number: index + 1 })}: ${name(parts[index].game)}` });
        const propose = (/** @type {string} */ move) => next.propose(prefix + move);
        const legal = next.legal.within(prefix);
        picture.update({ position, start, ghost, chosen, last, legal, winning, propose, prefix });
      });
    }

    /**
     * Shows the game of a move that is newly chosen or played, and one with moves once the shown one has none.
     * @param {Scene} next
     */
    function follow({ chosen, last, position, legal }) {
      const move = chosen ?? last ?? "";
      const has = (/** @type {number} */ index) => legal.empty || !legal.within(`${index + 1}: `).empty;
      const key = `${move} ${position}`;
      if (key === followed) return;
      followed = key;
      const moved = Number.parseInt(move, 10) - 1;
      if (moved >= 0 && (chosen || has(moved))) shown = moved;
      if (!has(shown)) shown = drawn.findIndex((_, index) => has(index));
    }
    return { element, update };
  };
}

/** Returns the title, or one made of the id where the catalogue has not come. @param {string} game */
function name(game) {
  const known = title({ id: game });
  return known !== game ? known : game.replace(/(^|-)(.)/g, (_, dash, letter) => (dash && " ") + letter.toUpperCase());
}

/** @param {string} text */
function split(text) {
  return text.split(" + ").map((part) => {
    const [, game, position] = /^(\S+) ?(.*)$/.exec(part.trim()) ?? ["", part, ""];
    return { game, position };
  });
}
