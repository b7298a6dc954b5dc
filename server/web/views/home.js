/** The start page: the ways to a match, the viewer's own matches, the lobby, and the games. */
import { h } from "../dom/build.js";
import { stack } from "../pictures/stack.js";
import { keptMatches, settings } from "../wire/storage.js";
import { t } from "../words/words.js";
import { attempts } from "./fault.js";
import { create } from "./home/create.js";
import { demo } from "./home/demo.js";
import { family } from "./home/family.js";
import { lobby } from "./home/lobby.js";
import { ownMatches } from "./home/own_matches.js";
import { showTitle } from "./match/calls.js";
import { operatorTexts } from "./operator_texts.js";
import { start } from "./start_match.js";
import { todayCard } from "./today_card.js";

/** Returns the start page. @type {(page: Page) => View} */
export function home(page) {
  showTitle("");
  const picture = stack({ still: true });
  const ending = new AbortController();
  const { signal } = ending;
  demo(picture, signal);
  const form = create(page);
  const texts = operatorTexts(page.connection);
  page.connection.addEventListener("state", texts.show, { signal });
  const own = ownMatches(page, signal);
  const ways = [todayCard(page), hero(page, () => form.open(), picture.element)];
  // What waits for the viewer stands first. It is known before the page connects, so that nothing moves later.
  const element = h(
    "div.home",
    ...(keptMatches().length ? [own, ...ways] : [...ways, own]),
    lobby(page, signal),
    family(form.open, signal),
    h("footer.foot.quiet", h("p", t("home.terminal", { server: location.origin })), texts.element),
    form.element,
  );
  const wanted = /^#new(?:-([a-z0-9-]+))?$/.exec(location.hash);
  if (wanted) requestAnimationFrame(() => element.isConnected && form.open(wanted[1]));
  return { element, leave: () => ending.abort() };
}

/** @type {(page: Page, more: () => void, picture: Element) => HTMLElement} */
function hero(page, more, picture) {
  const { element: fault, run } = attempts();
  const playBot = () => run(() => start(page, { game: "fib-fob", opponent: { bot: settings().level } }));
  const invite = () => run(() => start(page, { game: "fib-fob", opponent: "friend", visibility: "private" }));
  const ways = [
    h("button.primary.large.play-bot", { onclick: playBot }, t("home.play_bot")),
    h("button.large.play-friend", { onclick: invite }, t("home.play_friend")),
    h("button.large.ghost.more-options", { onclick: more, "aria-haspopup": "dialog" }, t("home.more")),
  ];
  return h(
    "section.hero",
    h(
      "div",
      h("h1", "Fib", h("em", "Fob")),
      h("p.lead", t(location.pathname === "/" ? "home.lead" : "home.elsewhere")),
      h("div.row.wrap", ...ways),
      fault,
    ),
    h("div.hero-picture", { "aria-hidden": "true" }, picture),
  );
}
