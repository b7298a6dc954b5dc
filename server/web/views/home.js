/** The start page: the animated stack, the ways to start a match, the own matches, the lobby, and the games. */
import { h } from "../dom/build.js";
import { stack } from "../pictures/stack.js";
import { settings } from "../wire/storage.js";
import { t } from "../words/words.js";
import { attempts } from "./fault.js";
import { askName } from "./name_field.js";
import { create } from "./home/create.js";
import { demo } from "./home/demo.js";
import { devices } from "./home/devices.js";
import { family } from "./home/family.js";
import { lobby } from "./home/lobby.js";
import { ownMatches } from "./home/own_matches.js";
import { start } from "./start_match.js";

/** Returns the start page. @type {(page: import("../main.js").Page) => import("../main.js").View} */
export function home(page) {
  document.title = "Fib Fob";
  const picture = stack({ steep: false, still: true });
  const show = demo(picture);
  const own = ownMatches(page);
  const list = lobby(page);
  const others = devices(page);
  const form = create(page);
  const fault = attempts();
  const games = family((game, opponent) => {
    form.choose(game, opponent);
    showForm();
  });
  function showForm() {
    form.element.scrollIntoView({ block: "start" });
    form.element.querySelector("select")?.focus({ preventScroll: true });
  }
  const element = h(
    "div.home",
    hero(page, fault, picture.element),
    ...[own, list, form, others, games].map(({ element }) => element),
    h("footer.foot.quiet", h("p", t("home.terminal", { server: location.origin }))),
  );
  const wanted = /^#new(?:-([a-z0-9-]+))?$/.exec(location.hash);
  if (wanted) {
    if (wanted[1]) form.choose(wanted[1]);
    requestAnimationFrame(showForm);
  }
  return {
    element,
    leave() {
      show.stop();
      for (const part of [own, list, others, games]) part.leave();
    },
  };
}

/**
 * Returns the head of the page, with the two ways to a match at once.
 * @type {(page: import("../main.js").Page, fault: ReturnType<typeof attempts>, picture: Element) => HTMLElement}
 */
function hero(page, { element: fault, run }, picture) {
  const playBot = () => run(() => start(page, { game: "fib-fob", opponent: { bot: settings().level } }));
  const playFriend = async () => {
    if (!(await askName(page))) return;
    run(() => start(page, { game: "fib-fob", opponent: "friend", visibility: "private" }));
  };
  const ways = [
    h("button.primary.large.play-bot", { onclick: playBot }, t("home.play_bot")),
    h("button.large.play-friend", { onclick: playFriend }, t("home.play_friend")),
  ];
  const words = /** @type {const} */ (["home.how_1", "home.how_2", "home.how_3"]);
  return h(
    "section.hero",
    h(
      "div.hero-words",
      h("h1", "Fib", h("em", "Fob")),
      h("p.lead", t("home.lead")),
      h("div.row.wrap", ...ways),
      fault,
      h("ol.how", { "aria-label": t("how.button") }, ...words.map((word) => h("li", t(word)))),
    ),
    h("div.hero-picture", { "aria-hidden": "true" }, picture),
  );
}
