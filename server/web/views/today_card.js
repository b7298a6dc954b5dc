/** The flight of the day on the start page. */
import { fill, h, say } from "../dom/build.js";
import { gameInfo } from "../wire/catalogue.js";
import { title } from "../words/games.js";
import { t } from "../words/words.js";

/** @param {Page} page */
export function todayCard({ connection }) {
  const words = h("span", t("today.lead"));
  const facts = h("span.quiet");
  const act = h("span.button.primary", t("today.open"));
  const element = h(
    "a.card.today-card",
    { href: "/today", "data-go": true },
    h("b", t("today.name")),
    words,
    facts,
    act,
  );
  /** @type {(flight: Flight) => Promise<void>} */
  async function show(flight) {
    const { number, game, own } = flight;
    const info = await gameInfo(game);
    fill(words, `${t("today.number", { number })} · ${title(info ?? { id: game })}`);
    say(facts, streakOf(flight) || t("today.lead"));
    fill(act, t(!own ? "today.open" : own.state === "flying" ? "today.fly_on" : "today.look"));
    element.classList.toggle("is-flown", !!own && own.state !== "flying");
  }
  // The link alone says enough where the server is asked too much.
  connection.request({ type: "today" }).then(show, () => {});
  return element;
}

/** Returns the guest's streak of days. @param {Flight} flight */
export const streakOf = ({ streak }) => (streak ? t("today.streak", { count: streak }) : "");
