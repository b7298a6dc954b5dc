/**
 * All games as cards: a picture of an example position, the rules, and two ways to start a match. A picture is drawn
 * when its card scrolls into view.
 *
 * @import { GameInfo } from "../../wire/types.js"
 */
import { fill, h, section } from "../../dom/build.js";
import { still } from "../../pictures/picture.js";
import { picture } from "../../pictures/pictures.js";
import { catalogue } from "../../wire/catalogue.js";
import { rules, title } from "../../words/games.js";
import { t } from "../../words/words.js";

const OPPONENTS = /** @type {const} */ (["bot", "friend"]);

/** @param {(game: string, opponent: "bot" | "friend") => void} choose */
export function family(choose) {
  const list = h("ul.games");
  const element = section("family", t("home.catalogue"), null, h("p.quiet", t("home.catalogue_lead")), list);
  /** @type {WeakMap<Element, () => void>} */
  const draws = new WeakMap();
  /** @param {IntersectionObserverEntry[]} seen */
  const draw = (seen) => {
    for (const { target } of seen.filter(({ isIntersecting }) => isIntersecting)) {
      sight.unobserve(target);
      draws.get(target)?.();
    }
  };
  const sight = new IntersectionObserver(draw, { rootMargin: "300px" });

  /** @param {GameInfo} game */
  function card(game) {
    const frame = h("div.game-picture", { "aria-hidden": "true", inert: true });
    draws.set(frame, () => {
      const drawn = picture(game.id);
      frame.append(drawn.element);
      drawn.update(still(game.example));
    });
    sight.observe(frame);
    const [position, move] = [game.example, game.example_move].map((text) => h("code", text));
    const buttons = OPPONENTS.map((opponent) => {
      const words = t(`home.play_${opponent}`);
      const onclick = () => choose(game.id, opponent);
      return h("button.small", { onclick, "aria-label": `${words}: ${title(game)}` }, words);
    });
    return h(
      "li.game",
      frame,
      h(
        "div.game-words",
        h("h3", title(game)),
        game.convention === "misere" ? h("p.chip", t("home.misere")) : null,
        h("p", rules(game)),
        h("p.quiet.game-example", `${t("home.example")}: `, position, " → ", move),
        h("div.row.wrap", ...buttons),
      ),
    );
  }

  catalogue().then(
    (games) => fill(list, ...games.map(card)),
    (error) => fill(list, h("li.fault", error.message)),
  );
  // The browser keeps what an observer still waits to see.
  return { element, leave: () => sight.disconnect() };
}
