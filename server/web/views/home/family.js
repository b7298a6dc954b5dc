/**
 * All games as cards: a picture of an example position, the rules, and two ways to start a match. A picture is drawn
 * when its card scrolls into view.
 *
 * @typedef {import("../../wire/types.js").GameInfo} GameInfo
 */
import { fill, h } from "../../dom/build.js";
import { still } from "../../pictures/picture.js";
import { picture } from "../../pictures/pictures.js";
import { catalogue } from "../../wire/catalogue.js";
import { rules, title } from "../../words/games.js";
import { t } from "../../words/words.js";

const OPPONENTS = /** @type {const} */ (["bot", "friend"]);

/** @param {(game: string, opponent: "bot" | "friend") => void} choose */
export function family(choose) {
  const list = h("ul.games");
  const element = h(
    "section.family",
    { "aria-labelledby": "family-title" },
    h("div.section-head", null, h("h2", { id: "family-title" }, t("home.catalogue"))),
    h("p.quiet", null, t("home.catalogue_lead")),
    list,
  );
  /** @type {WeakMap<Element, () => void>} */
  const draws = new WeakMap();
  const sight = new IntersectionObserver(
    (seen) => {
      for (const { target, isIntersecting } of seen) {
        if (!isIntersecting) continue;
        sight.unobserve(target);
        draws.get(target)?.();
      }
    },
    { rootMargin: "300px" },
  );

  /** @param {GameInfo} game */
  function card(game) {
    const frame = h("div.game-picture", { "aria-hidden": "true", inert: true });
    draws.set(frame, () => {
      const drawn = picture(game.id);
      frame.append(drawn.element);
      drawn.update(still(game.example));
    });
    sight.observe(frame);
    return h(
      "li.game",
      null,
      frame,
      h(
        "div.game-words",
        null,
        h("h3", null, title(game)),
        game.convention === "misere" ? h("p.chip", null, t("home.misere")) : null,
        h("p", null, rules(game)),
        h(
          "p.quiet.game-example",
          null,
          `${t("home.example")}: `,
          h("code", null, game.example),
          " → ",
          h("code", null, game.example_move),
        ),
        h(
          "div.row.wrap",
          null,
          OPPONENTS.map((opponent) => {
            const words = t(`home.play_${opponent}`);
            const onclick = () => choose(game.id, opponent);
            return h("button.small", { type: "button", onclick, "aria-label": `${words}: ${title(game)}` }, words);
          }),
        ),
      ),
    );
  }

  catalogue().then(
    (games) => fill(list, ...games.map(card)),
    (error) => fill(list, h("li.fault", null, error.message)),
  );
  // The browser keeps what an observer still waits to see.
  return { element, leave: () => sight.disconnect() };
}
