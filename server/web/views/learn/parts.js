/** What the pages for learning share. */
import { choice, fill, h } from "../../dom/build.js";
import { catalogue, knownGame, once } from "../../wire/catalogue.js";
import { title } from "../../words/games.js";
import { refusalText } from "../../words/refused.js";
import { t } from "../../words/words.js";
import { showTitle } from "../match/calls.js";
import { ideaName } from "../teach/explanation.js";

const list = once("/api/lessons");

/** Returns the lessons in their order, once the games are known, whose names they have. @returns {Promise<Lesson[]>} */
export async function lessons() {
  const [lessons] = await Promise.all([list(), catalogue()]);
  return lessons;
}

/** @param {Texts} texts */
export function inLanguage(texts) {
  return texts[document.documentElement.lang] ?? texts.en;
}

/**
 * Returns the marks of the guest's progress, after a change of them. They are kept for all devices.
 * @type {(connection: Connection, change?: { add?: string[], remove?: string[] }) => Promise<string[]>}
 */
export async function progress(connection, change) {
  return (await connection.request({ type: "progress", ...change })).marks;
}

const PAGES = /** @type {const} */ ({
  learn: () => "/learn",
  today: () => "/today",
  puzzle: () => puzzleOf("fib-fob", ANY),
  analyse: () => "/analyse",
  record: () => "/learn/record",
});
/** The grade of a puzzle that may need any idea. */
export const ANY = "any";
/** Seeds are below this, so that a link can be read out. */
const SEEDS = 1_000_000;

/** Returns the address of another puzzle. @type {(game: string, grade: string) => string} */
export function puzzleOf(game, grade) {
  return `/puzzle/${game}/${grade}/${Math.floor(Math.random() * SEEDS)}`;
}

/** Returns a page, with the ways to the other ones. @type {(name: keyof typeof PAGES, ...content: Child[]) => any} */
export function frame(name, ...content) {
  showTitle(t(`learn.to_${name}`));
  const names = /** @type {(keyof typeof PAGES)[]} */ (Object.keys(PAGES));
  const ways = names.map((to) =>
    h("a", { href: PAGES[to](), "data-go": true, "aria-current": to === name && "page" }, t(`learn.to_${to}`)),
  );
  const here = ways[names.indexOf(name)];
  requestAnimationFrame(() => here.scrollIntoView({ block: "nearest", inline: "center", behavior: "instant" }));
  return h(`div.learn.of-${name}`, h("nav.learn-ways.row", { "aria-label": t("learn.ways") }, ...ways), ...content);
}

/** Shows what an answer becomes, or why there is none. @type {(body: HTMLElement, shown: Promise<Child[]>) => void} */
export function showLoaded(body, shown) {
  fill(body, h("p.loading", t("match.loading")));
  shown.then(
    (content) => fill(body, ...content),
    (error) => fill(body, h("p.fault", refusalText(error))),
  );
}

/** Returns the list of all games, and when it is there. @type {(id: string, game: string) => any} */
export function gameChoice(id, game) {
  const games = choice(id, t("home.game"), [[game, title(knownGame(game))]], game);
  const options = (/** @type {GameInfo[]} */ all) =>
    all.map((one) => h("option", { value: one.id, selected: one.id === game }, title(one)));
  return { ...games, known: catalogue().then((all) => fill(games.list, ...options(all))) };
}

/** Returns the name of an idea as a heading. @param {string} idea */
export function ideaTitle(idea) {
  const name = ideaName(idea);
  return name.charAt(0).toLocaleUpperCase(t("locale")) + name.slice(1);
}

/** @type {(href: string, words: string, tag?: string) => any} */
export function way(href, words, tag = "a.button") {
  return h(tag, { href, "data-go": true }, words);
}
