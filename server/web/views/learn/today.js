/**
 * The flight of the day: one won start for everybody, against the perfect bot, with one try; then practice. What is
 * shared of it gives no move away.
 */
import { announce } from "../../dom/announce.js";
import { fill, h } from "../../dom/build.js";
import { copy } from "../../dom/copy.js";
import { looked } from "../../pictures/pictures.js";
import { gameInfo } from "../../wire/catalogue.js";
import { title } from "../../words/games.js";
import { t } from "../../words/words.js";
import { amount } from "../durations.js";
import { attempts } from "../fault.js";
import { analysisOf, fly, playFrom } from "../start_match.js";
import { streakOf } from "../today_card.js";
import { frame, showLoaded, way } from "./parts.js";

const DAY_MS = 86_400_000;

/** @type {(page: Page) => View} */
export function today(page) {
  const body = h("div.flight-today");
  const element = frame("today", body);
  const show = async (/** @type {Flight} */ flight) => {
    const info = await gameInfo(flight.game);
    return content(page, flight, title(info ?? { id: flight.game }));
  };
  showLoaded(body, page.connection.request({ type: "today" }).then(show));
  return { element };
}

/** What a flight's line says of a move. @type {Record<string, { word: Word, look: string, sign: string }>} */
const SQUARES = {
  1: { word: "today.kept", look: ".is-kept", sign: "🟩" },
  0: { word: "today.gave", look: "", sign: "🟥" },
  "-": { word: "today.none", look: ".is-none", sign: "⬛" },
};

/** @type {(page: Page, flight: Flight, named: string) => HTMLElement[]} */
function content(page, flight, named) {
  const { number, date, game, position, own } = flight;
  const fault = attempts();
  const day = new Intl.DateTimeFormat(t("locale"), { dateStyle: "long", timeZone: "UTC" }).format(new Date(date));
  const head = h("div", h("h1", t("today.number", { number })), h("p.quiet", `${day} · ${named}`));
  const frame = looked(game, position);
  const practise = () => fault.run(() => playFrom(page, game, position, "perfect"));
  const left = amount(DAY_MS - (page.connection.now() % DAY_MS));
  const facts = h("p.quiet", streakOf(flight), " ", t("today.next", { time: left }));
  if (!own) {
    const go = h("button.primary.large.fly", { onclick: () => fault.run(() => fly(page)) }, t("today.fly"));
    return [head, frame, h("div.card", h("p", t("today.what")), h("div.row.wrap", go), facts, fault.element)];
  }
  if (own.state === "flying") {
    const on = way(`/m/${own.code}`, t("today.fly_on"), "a.button.primary.large");
    return [head, frame, h("div.card", h("p", t("today.flying")), h("div.row.wrap", on), facts)];
  }
  const line = result(flight, own);
  const onclick = () => shareFlight(line, own.line, share);
  const share = h("button.primary.share-flight", { onclick }, t("today.share"));
  const ways = [
    share,
    way(`/m/${own.code}`, t("today.recorder")),
    h("button", { onclick: practise }, t("today.practise")),
    way(analysisOf(game, position), t("learn.to_analyse")),
  ];
  const moves = [...own.line].map((one) => SQUARES[one]);
  const words = t("today.squares", { line: moves.map(({ word }) => t(word)).join(", ") });
  const shown = moves.map(({ look }) => h(`span.square${look}`));
  const squares = h("p.squares.row.wrap", { role: "img", "aria-label": words }, ...shown);
  const card = h("div.card", h(`h2.is-${own.state}`, line), squares, facts, h("div.row.wrap", ...ways), fault.element);
  return [head, frame, card];
}

/** Returns what became of the flight, in one line. @type {(flight: Flight, own: Own) => string} */
function result({ number }, { state, moves, slips }) {
  const end = t(state === "arrived" ? "today.was_arrived" : "today.was_erased", { count: moves });
  const how = slips ? t("today.slips", { count: slips }) : t("today.no_slip");
  return [t("today.number", { number }), end, how].join(" · ");
}

/** @type {(told: string, line: string, button: HTMLElement) => Promise<void>} */
async function shareFlight(told, line, button) {
  const squares = [...line].map((one) => SQUARES[one].sign).join("");
  const text = `Fib Fob: ${told}\n${squares}\n${location.origin}/today`;
  if (matchMedia("(pointer: coarse)").matches && navigator.share) {
    return navigator.share({ text }).catch(() => {});
  }
  const words = t((await copy(text)) ? "today.copied" : "today.not_copied");
  fill(button, words);
  announce(words);
}
