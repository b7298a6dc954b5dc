/** All games as one shelf: each with a picture of an example position, which is drawn when it scrolls into view. */
import { fill, h, section } from "../../dom/build.js";
import { looked } from "../../pictures/pictures.js";
import { catalogue } from "../../wire/catalogue.js";
import { title } from "../../words/games.js";
import { t } from "../../words/words.js";

/** @type {(choose: (game: string) => void, signal: AbortSignal) => HTMLElement} */
export function family(choose, signal) {
  const list = h("ul.games");
  const element = section("family", t("home.catalogue"), null, h("p.quiet", t("home.catalogue_lead")), list);
  /** @type {WeakMap<Element, GameInfo>} */
  const games = new WeakMap();
  /** @param {IntersectionObserverEntry[]} seen */
  const draw = (seen) => {
    for (const { target } of seen.filter(({ isIntersecting }) => isIntersecting)) {
      sight.unobserve(target);
      const game = games.get(target);
      if (game) target.replaceWith(looked(game.id, game.example));
    }
  };
  const sight = new IntersectionObserver(draw, { rootMargin: "300px" });

  /** @param {GameInfo} game */
  function card(game) {
    const frame = h("span.game-picture");
    games.set(frame, game);
    sight.observe(frame);
    const onclick = () => choose(game.id);
    return h("li", h("button.game", { onclick, "aria-haspopup": "dialog" }, frame, h("b", title(game))));
  }

  catalogue().then(
    (games) => fill(list, ...games.map(card)),
    (error) => fill(list, h("li.fault", error.message)),
  );
  // The browser keeps what an observer still waits to see.
  signal.addEventListener("abort", () => sight.disconnect());
  return element;
}
