/**
 * Several games at once: cards side by side, each with the picture of its game.
 *
 * @typedef {import("./picture.js").Scene} Scene
 * @typedef {import("./picture.js").Picture} Picture
 */
import { fill, h } from "../dom/build.js";
import { t } from "../words/words.js";
import { title } from "../words/games.js";

/**
 * @param {(game: string) => Picture} picture_of
 * @returns {() => Picture}
 */
export function sum(picture_of) {
  return () => {
    const element = h("div.sum");
    /** @type {{ card: HTMLElement, picture: Picture, body: HTMLElement }[]} */
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
          const picture = picture_of(game);
          const body = h("div.component-picture", null, picture.element);
          return {
            picture,
            body,
            card: h(
              "section.component",
              {
                "aria-label": `${t("picture.component", { number: index + 1 })}: ${title({ id: game })}`,
              },
              h("h2", null, `${index + 1} · ${name(game)}`),
              body,
            ),
          };
        });
        fill(element, ...drawn.map(({ card }) => card));
      }
      drawn.forEach(({ picture, body, card }, index) => {
        const prefix = `${index + 1}: `;
        const inside = (/** @type {string | null} */ move) =>
          move?.startsWith(prefix) ? move.slice(prefix.length) : null;
        const chosen = inside(scene.chosen);
        remove_prefix(body, prefix);
        picture.update({
          position: parts[index].position,
          start: starts[index]?.game === parts[index].game ? starts[index].position : parts[index].position,
          ghost: chosen && ghosts ? (ghosts[index]?.position ?? null) : null,
          chosen,
          last: inside(scene.last),
          legal: scene.legal.within(prefix),
          winning: scene.winning?.within(prefix) ?? null,
          propose: (move) => scene.propose(prefix + move),
        });
        add_prefix(body, prefix);
        card.classList.toggle("chosen", chosen !== null);
        card.classList.toggle("moved", inside(scene.last) !== null);
      });
    }
    // Some pictures add their choices only at the end of an animation.
    new MutationObserver(() => drawn.forEach(({ body }, index) => add_prefix(body, `${index + 1}: `))).observe(
      element,
      {
        subtree: true,
        childList: true,
      },
    );
    return { element, update };
  };
}

/**
 * Adds the number of a component to its choices.
 * @param {HTMLElement} body
 * @param {string} prefix
 */
function add_prefix(body, prefix) {
  for (const choice of body.querySelectorAll("[data-move]")) {
    const move = choice.getAttribute("data-move") ?? "";
    if (!/^\d+: /.test(move)) choice.setAttribute("data-move", prefix + move);
  }
}

/**
 * Removes the number of a component from its choices, as its picture expects them.
 * @param {HTMLElement} body
 * @param {string} prefix
 */
function remove_prefix(body, prefix) {
  for (const choice of body.querySelectorAll("[data-move]")) {
    const move = choice.getAttribute("data-move") ?? "";
    if (move.startsWith(prefix)) choice.setAttribute("data-move", move.slice(prefix.length));
  }
}

/** @param {string} game */
function name(game) {
  const known = title({ id: game });
  return known === game
    ? game
        .split("-")
        .map((word) => word[0].toUpperCase() + word.slice(1))
        .join(" ")
    : known;
}

/** @param {string} text */
function split(text) {
  return text.split(" + ").map((part) => {
    const [, game, position] = /^(\S+) ?(.*)$/.exec(part.trim()) ?? ["", part, ""];
    return { game, position };
  });
}
