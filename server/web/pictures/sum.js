/**
 * Several games at once: cards side by side, each with the picture of its game.
 *
 * @import { Picture, Scene } from "./picture.js"
 */
import { fill, h } from "../dom/build.js";
import { t } from "../words/words.js";
import { title } from "../words/games.js";

/** @type {(pictureOf: (game: string) => Picture) => () => Picture} */
export function sum(pictureOf) {
  return () => {
    const element = h("div.sum");
    /**
     * The components with what they have drawn, so that a chosen move redraws its own component only.
     * @type {{ card: HTMLElement, picture: Picture, drawn: string, legal: unknown, winning: unknown }[]}
     */
    let drawn = [];
    let games = "";

    /** @param {Scene} scene */
    function update(scene) {
      const parts = split(scene.position);
      const starts = split(scene.start);
      const ghosts = scene.ghost ? split(scene.ghost) : null;
      const kinds = parts.map(({ game }) => game).join();
      if (kinds !== games) {
        games = kinds;
        drawn = parts.map(({ game }, index) => {
          const picture = pictureOf(game);
          const label = `${t("picture.component", { number: index + 1 })}: ${title({ id: game })}`;
          const heading = h("h2", `${index + 1} · ${name(game)}`);
          const frame = h("div.component-picture", picture.element);
          const card = h("section.component", { "aria-label": label }, heading, frame);
          return { picture, card, drawn: "", legal: null, winning: null };
        });
        fill(element, ...drawn.map(({ card }) => card));
      }
      drawn.forEach((component, index) => {
        const prefix = `${index + 1}: `;
        const inside = (/** @type {string | null} */ move) =>
          move?.startsWith(prefix) ? move.slice(prefix.length) : null;
        const chosen = inside(scene.chosen);
        const { picture, card } = component;
        const { position } = parts[index];
        const start = starts[index]?.game === parts[index].game ? starts[index].position : position;
        const ghost = chosen && ghosts ? (ghosts[index]?.position ?? null) : null;
        const last = inside(scene.last);
        const key = JSON.stringify([position, start, ghost, chosen, last, innerWidth]);
        if (component.drawn === key && component.legal === scene.legal && component.winning === scene.winning) return;
        Object.assign(component, { drawn: key, legal: scene.legal, winning: scene.winning });
        const [legal, winning] = [scene.legal.within(prefix), scene.winning?.within(prefix) ?? null];
        const propose = (/** @type {string} */ move) => scene.propose(prefix + move);
        picture.update({ position, start, ghost, chosen, last, legal, winning, propose, prefix });
        card.classList.toggle("chosen", chosen !== null);
        card.classList.toggle("moved", last !== null);
      });
    }
    return { element, update };
  };
}

/** @param {string} game */
function name(game) {
  const known = title({ id: game });
  if (known !== game) return known;
  const words = game.split("-").map((word) => word[0].toUpperCase() + word.slice(1));
  return words.join(" ");
}

/** @param {string} text */
function split(text) {
  return text.split(" + ").map((part) => {
    const [, game, position] = /^(\S+) ?(.*)$/.exec(part.trim()) ?? ["", part, ""];
    return { game, position };
  });
}
