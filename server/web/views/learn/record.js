/** The guest's record: of the positions that could be won, how many were kept, by game, idea and over time. */
import { h, s, section } from "../../dom/build.js";
import { catalogue, knownGame } from "../../wire/catalogue.js";
import { record as ownRecord } from "../../wire/record.js";
import { title } from "../../words/games.js";
import { maybe, t } from "../../words/words.js";
import { playerName } from "../player_names.js";
import { frame, ideaTitle, showLoaded, way } from "./parts.js";

/** The matches of one bar over time. */
const BAR = 5;
/** Fewer positions than this say nothing about what somebody misses. */
const HAD_LEAST = 3;

/** @type {(page: Page) => View} */
export function record(page) {
  const body = h("div.record-body");
  const head = h("div.learn-head.row.wrap", h("div", h("h1", t("learn.to_record")), h("p.quiet", t("record.lead"))));
  const element = frame("record", head, body);
  showLoaded(
    body,
    Promise.all([ownRecord(page.connection), catalogue()]).then(([matches]) => content(matches)),
  );
  return { element };
}

/** @param {Recorded[]} matches */
function content(matches) {
  if (!matches.length) {
    return [
      h("section.card.nothing", h("p", t("record.none")), way("/learn", t("learn.to_learn"), "a.button.primary")),
    ];
  }
  const all = matches.flatMap(({ game, ideas }) => ideas.map((one) => ({ game, ...one })));
  const [games, ideas] = [keptBy(all, ({ game }) => game), keptBy(all, ({ idea }) => idea)];
  const missed = ideas
    .filter(([, { had, kept }]) => had >= HAD_LEAST && kept < had)
    .sort(([, one], [, next]) => one.kept / one.had - next.kept / next.had)
    .map(([idea]) => [h("b", t("record.miss", { idea: ideaTitle(idea) })), " ", maybe(`idea_words.${idea}`)]);
  const advice = missed[0] && h("p.record-advice", missed[0]);
  const total = sum(all);
  const gameTitle = (/** @type {string} */ id) => title(knownGame(id));
  return [
    h("section.card.record-total", h("p.record-share", share(total)), h("p", t("record.total", { ...total })), advice),
    section("by-idea", t("record.by_idea"), null, table(ideas, ideaTitle, t("record.idea"))),
    section("by-game", t("record.by_game"), null, table(games, gameTitle, t("home.game"))),
    section("over-time", t("record.over_time"), null, overTime(matches)),
    section("against", t("record.against"), null, scores(matches)),
  ];
}

/** @param {Kept} kept */
const share = ({ had, kept }) =>
  had ? new Intl.NumberFormat(t("locale"), { style: "percent" }).format(kept / had) : "–";

/** @param {Kept[]} list */
function sum(list) {
  return list.reduce((sum, { had, kept }) => ({ had: sum.had + had, kept: sum.kept + kept }), { had: 0, kept: 0 });
}

/**
 * Returns what was kept by key, the most frequent first.
 * @template {Kept} T
 * @param {T[]} list
 * @param {(one: T) => string} key
 */
function keptBy(list, key) {
  const sums = [...Map.groupBy(list, key)].map(([name, of]) => /** @type {[string, Kept]} */ ([name, sum(of)]));
  return sums.sort(([, one], [, next]) => next.had - one.had);
}

/** @type {(rows: [string, Kept][], name: (key: string) => string, head: string) => any} */
function table(rows, name, head) {
  const heads = [head, t("record.kept"), t("record.share")].map((words) => h("th", { scope: "col" }, words));
  const row = (/** @type {[string, Kept]} */ [key, kept]) => {
    const meter = h("meter", { min: 0, max: 1, value: kept.had ? kept.kept / kept.had : 0, "aria-hidden": "true" });
    const cells = [h("td", t("record.of", { ...kept })), h("td", meter, share(kept))];
    return h("tr", h("th", { scope: "row" }, name(key)), ...cells);
  };
  return h("table.record-table", h("thead", h("tr", ...heads)), h("tbody", ...rows.map(row)));
}

/** Draws the share of each few matches, the oldest first. @param {Recorded[]} matches */
function overTime(matches) {
  const oldest = matches.toReversed();
  const bars = Array.from({ length: Math.ceil(oldest.length / BAR) }, (_, at) =>
    sum(oldest.slice(at * BAR, (at + 1) * BAR).flatMap(({ ideas }) => ideas)),
  ).filter(({ had }) => had);
  const wide = 24;
  const label = t("record.bars", { count: BAR, shares: bars.map(share).join(", ") });
  const drawn = bars.map(({ had, kept }, at) => {
    const high = (100 * kept) / had;
    return s("rect", { x: at * wide + 3, y: 100 - high, width: wide - 6, height: high + 2, rx: 3 });
  });
  const viewBox = `0 0 ${Math.max(10, bars.length) * wide} 102`;
  const view = { viewBox, preserveAspectRatio: "xMinYMax meet", role: "img", "aria-label": label };
  return h("div", h("p.quiet", t("record.over_time_lead", { count: BAR })), s("svg.record-bars", view, ...drawn));
}

/** @param {Recorded[]} matches */
function scores(matches) {
  const rows = [...Map.groupBy(matches, ({ against }) => against ?? "")].map(([level, of]) => {
    const name = level ? playerName({ kind: "bot", level }) : t("record.people");
    const score = t("record.score", { won: of.filter(({ won }) => won).length, all: of.length });
    return h("li.chip", `${name}: ${score}`);
  });
  return h("ul.row.wrap", ...rows);
}
