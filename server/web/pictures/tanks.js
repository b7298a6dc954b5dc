/** Two glass tanks of one scale: pulling a level down spends a gallon, pulling it to the floor ejects all. */
import { changes, h, s, set } from "../dom/build.js";
import { gliding } from "../dom/motion.js";
import { t } from "../words/words.js";
import { hold, placeIn, TREMBLE } from "./drag.js";
import { amount, area, fields, letters, line, offer, showNumber, still, unique } from "./picture.js";

const FLOW_MS = 600;
const [LEFT, RIGHT, TOP, FLOOR] = [14, 86, 22, 168];
const GLASS = `M${LEFT} ${TOP}V${FLOOR}A36 9 0 0 0 ${RIGHT} ${FLOOR}V${TOP}Z`;
/** The smallest scale in gallons, so that a nearly empty tank looks nearly empty in every match. */
const SCALE_MIN = 16;
/** The number of gallons between two numbered lines of the scale. */
const LABELLED = 5;

export function tanks() {
  const both = [tank("fib"), tank("fob")];
  const drawn = h("div.tanks", ...both.map(({ element }) => element));
  const element = h("section.instrument", h("h2.unseen", t("picture.tanks")), drawn);
  return { element, update: (/** @type {Scene} */ scene) => both.forEach(({ update }) => update(scene)) };
}

/** @param {"fib" | "fob"} fluid */
function tank(fluid) {
  const glass = unique();
  const body = s("path", { ...area("liquid"), "fill-opacity": 0.85 });
  const surface = s("ellipse.surface", {
    cx: 50,
    rx: 36,
    ry: 8,
    fill: "color-mix(in oklab, var(--liquid), white 35%)",
  });
  const mark = s("path", line("ink", 2.5, "4 3"));
  const scale = s("g");
  const wins = s("path", area("win", "panel"));
  const was = s("path.level-last", line("hull-trim", 3, "2 4"));
  const number = s("text.tank-number", { "text-anchor": "middle", x: 50, y: 203 });
  const picture = s(
    "svg.tank",
    { viewBox: "4 8 116 200", role: "img" },
    s("clipPath", { id: glass }, s("path", { d: GLASS })),
    s("path", {
      d: GLASS,
      ...area("panel", "line-strong"),
      fill: "color-mix(in srgb, var(--liquid) 8%, var(--panel))",
    }),
    s("g", { "clip-path": `url(#${glass})` }, body),
    surface,
    was,
    mark,
    scale,
    wins,
    s("ellipse", { cx: 50, cy: TOP, rx: 36, ry: 9, ...line("line-strong", 2) }),
    s("path", { d: `M24 ${TOP + 16}V${FLOOR - 12}`, opacity: 0.28, ...line("hull-a", 5, undefined, "round") }),
    number,
  );
  const spend = h("button.small", t("picture.spend"));
  const eject = h("button.small", t("picture.eject"));
  const element = h(`div.tank-part.${fluid}`, h("h3", fluid), picture, spend, eject);

  /** @param {number} share */
  const height = (share) => FLOOR - share * (FLOOR - TOP - 10);
  let scene = still("");
  let amountNow = 0;
  let full = SCALE_MIN;
  const isOtherScale = changes();
  const may = () => scene.legal.allows(`spend ${fluid}`) || scene.legal.allows(`eject ${fluid}`);
  pull(picture, may, (share) => {
    const move = share * full < amountNow / 2 ? `eject ${fluid}` : `spend ${fluid}`;
    if (move !== scene.chosen && scene.legal.allows(move)) scene.propose(move);
  });

  const flow = gliding(FLOW_MS, ([level]) => {
    const y = height(level / full).toFixed(1);
    set(body, { d: `M0 ${y}H100V204H0Z` });
    set(surface, { cy: y });
    for (const part of [surface, body]) part.classList.toggle("hidden", level < 0.01);
    showNumber(number, level);
  });

  /** @param {Scene} next */
  function update(next) {
    scene = next;
    const now = fields(scene.position)[fluid];
    const start = fields(scene.start);
    amountNow = now;
    full = Math.max(SCALE_MIN, start.fib, start.fob, now);
    const ahead = scene.ghost ? fields(scene.ghost)[fluid] : now;
    flow(now);
    const { last, before } = scene;
    const earlier =
      last === `spend ${fluid}` ? now + 1 : last === `eject ${fluid}` && before ? fields(before)[fluid] : now;
    /** Returns the line at another level than the present one. @param {number} amount */
    const levelLine = (amount) => {
      const y = height(amount / full).toFixed(1);
      return amount === now ? "M0 0" : `M${LEFT} ${y}A36 8 0 0 0 ${RIGHT} ${y}`;
    };
    set(mark, { d: levelLine(ahead) });
    set(was, { d: levelLine(earlier) });
    if (isOtherScale(full)) scale.replaceChildren(...lines(full, height));
    // An arrow at each level that wins.
    const winning = [now - 1, 0].filter((_, index) => next.winning?.allows(`${index ? "eject" : "spend"} ${fluid}`));
    const arrow = (/** @type {number} */ level) => `M${LEFT - 9} ${height(level / full) - 8}l16 8-16 8z`;
    set(wins, { d: winning.map(arrow).join("") || "M0 0" });
    set(picture, { "aria-label": t("picture.tank", { fluid, count: amount(now) }) });
    picture.classList.toggle("pulls", may());
    offer(spend, scene, `spend ${fluid}`);
    offer(eject, scene, `eject ${fluid}`);
  }
  return { element, update };
}

const LINES_MOST = 40;

/**
 * Returns the lines of the scale: one for each gallon, or for so many that they are not too dense, and numbers.
 * @type {(full: number, height: (share: number) => number) => any[]}
 */
function lines(full, height) {
  const marks = [];
  const isFine = full <= 2 * SCALE_MIN;
  const step = isFine ? 1 : LABELLED * Math.ceil(full / (LABELLED * LINES_MOST));
  for (let gallons = step; gallons <= full; gallons += step) {
    const long = gallons % LABELLED === 0;
    const y = height(gallons / full);
    const size = long ? 16 : 9;
    marks.push(s("path", { d: `M${RIGHT - size} ${y.toFixed(1)}h${size}`, opacity: 0.55, ...line("ink", 1.4) }));
    if (long && (isFine || gallons % (4 * step) === 0)) {
      marks.push(s("text", { x: RIGHT + 5, y: (y + 5).toFixed(1), ...letters(13), "text-anchor": "start" }, gallons));
    }
  }
  return marks;
}

/**
 * Calls `pulled` with the level, as a share of the scale, that a drag downwards ends at, while there `may` be one.
 * @type {(picture: SVGSVGElement, may: () => boolean, pulled: (share: number) => void) => void}
 */
function pull(picture, may, pulled) {
  let begun = 0;
  hold(picture, may, {
    begin: ({ clientY }) => (begun = clientY),
    end(released) {
      if (!released || released.clientY - begun < TREMBLE) return;
      pulled(Math.max(0, (FLOOR - placeIn(picture, released).y) / (FLOOR - TOP - 10)));
    },
  });
}
