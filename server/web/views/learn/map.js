/** All lessons: twelve stops on a flight path, the rocket at the first open one; below, one for each family. */
import { fill, h, s, section } from "../../dom/build.js";
import { line } from "../../pictures/picture.js";
import { looked } from "../../pictures/pictures.js";
import { ship } from "../../pictures/ship.js";
import { refusalText } from "../../words/refused.js";
import { knownGame } from "../../wire/catalogue.js";
import { title } from "../../words/games.js";
import { t } from "../../words/words.js";
import { frame, inLanguage, lessons, progress } from "./parts.js";

/** The stops in a row of the path, in wide windows and in narrow ones. */
const [WIDE, NARROW] = [4, 2];
/** The units of a row of the drawing, and its width. */
const [ROW, ACROSS] = [100, 400];
/** How far every second stop is off the middle of its row, so that the path swings. */
const SWING = 0.13;
/** The place below the last row, in rows, for the names of its stops. */
const FOOT = 0.25;

/** In shares of the width and in rows. @type {(stop: number, across: number) => [number, number]} */
function place(stop, across) {
  const row = Math.floor(stop / across);
  const column = row % 2 ? across - 1 - (stop % across) : stop % across;
  return [(column + 0.5) / across, row + 0.5 + (column % 2 ? SWING : -SWING)];
}

/** Draws the path, and how much of it is flown. @type {(count: number, flown: number, across: number) => any} */
function path(count, flown, across) {
  const rows = Math.ceil(count / across);
  const points = Array.from({ length: count }, (_, stop) => {
    const [x, y] = place(stop, across);
    return [x * ACROSS, y * ROW];
  });
  const until = (/** @type {number} */ last) =>
    points.slice(1, last + 1).reduce((d, [x, y], index) => {
      const [fromX, fromY] = points[index];
      // Between two rows the path turns outside of both.
      const turns = Math.floor((index + 1) / across) !== Math.floor(index / across);
      const out = (x > ACROSS / 2 ? 1 : -1) * (turns ? ACROSS / across / 2.6 : 0);
      const middle = (fromX + x) / 2;
      return turns
        ? `${d}C${fromX + out} ${fromY + ROW * 0.15} ${x + out} ${y - ROW * 0.15} ${x} ${y}`
        : `${d}C${middle} ${fromY} ${middle} ${y} ${x} ${y}`;
    }, `M${points[0]}`);
  const frame = { viewBox: `0 0 ${ACROSS} ${(rows + FOOT) * ROW}`, preserveAspectRatio: "none", "aria-hidden": "true" };
  const even = { "vector-effect": "non-scaling-stroke" };
  const all = s("path", { d: until(count - 1), ...line("line-strong", 3, "1 10", "round"), ...even });
  const done = s("path", { d: until(flown), ...line("accent", 5, undefined, "round"), ...even });
  return s(`svg.path-line.across-${across}`, frame, all, done);
}

/** @type {(page: Page) => View} */
export function map(page) {
  const flight = h("ol.flight");
  const sky = h("div.sky", flight);
  const shelf = h("ul.games");
  const next = h("a.button.primary.large", { "data-go": true, hidden: true });
  const families = section("family", t("learn.families"), null, h("p.quiet", t("learn.families_lead")), shelf);
  const head = h("div.learn-head.row.wrap", h("div", h("h1", t("learn.title")), h("p.quiet", t("learn.lead"))), next);
  const element = frame("learn", head, sky, families);
  /** @type {Lesson[]} */
  let list = [];

  /** @param {string[]} marks */
  function show(marks) {
    const isDone = (/** @type {Lesson} */ { name }) => marks.includes(`lesson/${name}`);
    const stops = list.filter(({ path }) => path === "flight");
    const open = stops.findIndex((stop) => !isDone(stop));
    const here = open < 0 ? stops.length - 1 : open;
    sky.style.setProperty("--stops", String(stops.length));
    for (const line of sky.querySelectorAll(".path-line")) line.remove();
    if (stops.length > 1) sky.prepend(path(stops.length, here, WIDE), path(stops.length, here, NARROW));
    fill(flight, ...stops.map((stop, index) => stopOf(stop, index, isDone(stop), index === here)));
    const wanted = stops[here] ?? list[0];
    next.hidden = !wanted;
    if (!wanted) return;
    next.href = `/learn/${wanted.name}`;
    fill(next, t(open === 0 ? "learn.begin" : "learn.go_on", { lesson: inLanguage(wanted.title) }));
    const others = list.filter(({ path }) => path === "families");
    families.hidden = !others.length;
    fill(shelf, ...others.map((one) => familyOf(one, isDone(one))));
  }

  lessons().then(
    async (known) => {
      list = known;
      show([]);
      show(await progress(page.connection));
    },
    (error) => fill(flight, h("li.fault", refusalText(error))),
  );
  return { element };
}

/** @type {(lesson: Lesson, index: number, done: boolean, here: boolean) => any} */
function stopOf({ name, title: texts }, index, done, here) {
  const [[x, y], [narrowX, narrowY]] = [place(index, WIDE), place(index, NARROW)];
  const words = done ? t("learn.done") : here ? t("learn.here") : null;
  const rocket = here && s("svg.path-ship", { viewBox: "-0.7 -1.6 1.4 1.9", "aria-hidden": "true" }, ship());
  const planet = h("span.planet", rocket, h("b", { "aria-hidden": "true" }, done && !here ? "✓" : index + 1));
  const [before, after] = [h("span.unseen", `${index + 1}. `), words && h("span.unseen", ` (${words})`)];
  const named = h("span.stop-name", before, inLanguage(texts), after);
  const given = { href: `/learn/${name}`, "data-go": true, "aria-current": here && "step" };
  const at = { "--x": x, "--y": y, "--narrow-x": narrowX, "--narrow-y": narrowY, "--hue": (index * 47) % 360 };
  return h(`li.stop${done ? ".is-done" : ""}${here ? ".is-here" : ""}`, at, h("a", given, planet, named));
}

/** @type {(lesson: Lesson, done: boolean) => any} */
function familyOf({ name, game, title: texts, steps }, done) {
  const first = steps.find(({ position, game: other }) => position && !other);
  const of = title(knownGame(game));
  const text = inLanguage(texts);
  const notes = [of !== text && h("span.quiet.small", of), done && h("span.chip.winning", t("learn.done"))];
  const shown = [first && looked(game, first.position), h("b", text), ...notes];
  return h("li", h("a.button.game", { href: `/learn/${name}`, "data-go": true }, shown));
}
