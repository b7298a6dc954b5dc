/**
 * The start page: the animated stack, the ways to start a match, the own matches, the lobby, and the games.
 */
import { fill, h } from "../dom/build.js";
import { announce } from "../dom/announce.js";
import { stack } from "../pictures/stack.js";
import { settings } from "../wire/storage.js";
import { refusalText } from "../words/refused.js";
import { t } from "../words/words.js";
import { askName } from "./name_field.js";
import { create } from "./home/create.js";
import { demo } from "./home/demo.js";
import { devices } from "./home/devices.js";
import { family } from "./home/family.js";
import { lobby } from "./home/lobby.js";
import { ownMatches } from "./home/own_matches.js";
import { start } from "./start_match.js";

/**
 * Returns the start page.
 * @param {import("../main.js").Page} page
 * @returns {import("../main.js").View}
 */
export function home(page) {
  document.title = "Fib Fob";
  const picture = stack({ steep: false, still: true });
  const show = demo(picture);
  const own = ownMatches(page);
  const list = lobby(page);
  const others = devices(page);
  const form = create(page);
  const fault = h("p.fault", { role: "alert" });
  /** Whether a match is being made, so that a double click makes one. */
  let starting = false;
  /** @param {import("./start_match.js").MatchSetup} setup */
  const quick = (setup) => {
    if (starting) return;
    starting = true;
    fill(fault);
    start(page, setup)
      .catch((error) => {
        const words = refusalText(error);
        fill(fault, words);
        announce(words, true);
      })
      .finally(() => (starting = false));
  };
  const games = family((game, opponent) => {
    form.choose(game, opponent);
    form.element.scrollIntoView({ block: "start" });
    form.element.querySelector("select")?.focus({ preventScroll: true });
  });
  const element = h(
    "div.home",
    null,
    h(
      "section.hero",
      null,
      h(
        "div.hero-words",
        null,
        h("h1", null, "Fib", h("em", null, "Fob")),
        h("p.lead", null, t("home.lead")),
        h(
          "div.row.wrap.hero-acts",
          null,
          h(
            "button.primary.large.play-bot",
            {
              type: "button",
              onclick: () => quick({ game: "fib-fob", opponent: { bot: settings().level } }),
            },
            t("home.play_bot"),
          ),
          h(
            "button.large.play-friend",
            {
              type: "button",
              onclick: async () => {
                if (await askName(page)) quick({ game: "fib-fob", opponent: "friend", visibility: "private" });
              },
            },
            t("home.play_friend"),
          ),
        ),
        fault,
        h(
          "ol.how",
          { "aria-label": t("home.how") },
          ...["home.how_1", "home.how_2", "home.how_3"].map((word) => h("li", null, t(/** @type {any} */ (word)))),
        ),
      ),
      h("div.hero-picture", { "aria-hidden": "true" }, picture.element),
    ),
    own.element,
    list.element,
    form.element,
    others.element,
    games.element,
    h("footer.foot.quiet", null, h("p", null, t("home.terminal", { server: location.origin }))),
  );
  const wanted = /^#new(?:-([a-z0-9-]+))?$/.exec(location.hash);
  if (wanted) {
    if (wanted[1]) form.choose(wanted[1]);
    requestAnimationFrame(() => {
      form.element.scrollIntoView({ block: "start" });
      form.element.querySelector("select")?.focus({ preventScroll: true });
    });
  }
  return {
    element,
    leave() {
      show.stop();
      own.leave();
      list.leave();
      others.leave();
      games.leave();
    },
  };
}
