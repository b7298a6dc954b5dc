/**
 * Two glass tanks, one of fib and one of fob.
 *
 * @typedef {import("./picture.js").Scene} Scene
 */
import { h, s, set } from "../dom/build.js";
import { between, eased, over } from "../dom/motion.js";
import { t } from "../words/words.js";
import { amount, fields, offer, unique } from "./picture.js";

const FLOW_MS = 600;
const [LEFT, RIGHT, TOP, FLOOR] = [14, 86, 22, 168];

export function tanks() {
  const both = [tank("fib"), tank("fob")];
  const element = h(
    "section.instrument.tanks-part",
    null,
    h("h2.unseen", null, t("picture.tanks")),
    h("div.tanks", null, ...both.map(({ element }) => element)),
  );
  return { element, update: (/** @type {Scene} */ scene) => both.forEach(({ update }) => update(scene)) };
}

/** @param {"fib" | "fob"} fluid */
function tank(fluid) {
  const glass = unique();
  const body = s("path.fluid");
  const surface = s("ellipse.surface", { cx: 50, rx: 36, ry: 8 });
  const mark = s("path.level-mark");
  const scale = s("g.tank-scale");
  const number = s("text.tank-number", { "text-anchor": "middle", x: 50, y: 196 });
  const picture = s(
    "svg.tank",
    { viewBox: "0 0 100 204", "aria-hidden": "true" },
    s("clipPath", { id: glass }, s("path", { d: `M${LEFT} ${TOP}V${FLOOR}A36 9 0 0 0 ${RIGHT} ${FLOOR}V${TOP}Z` })),
    s("path.tank-glass", { d: `M${LEFT} ${TOP}V${FLOOR}A36 9 0 0 0 ${RIGHT} ${FLOOR}V${TOP}Z` }),
    s("g", { "clip-path": `url(#${glass})` }, body),
    surface,
    mark,
    scale,
    s("ellipse.tank-rim", { cx: 50, cy: TOP, rx: 36, ry: 9 }),
    s("path.tank-shine", { d: `M24 ${TOP + 16}V${FLOOR - 12}` }),
    number,
  );
  const spend = h("button.small", { type: "button" }, t("picture.spend"));
  const eject = h("button.small", { type: "button" }, t("picture.eject"));
  const element = h(`div.tank-part.${fluid}`, null, h("h3", null, fluid), picture, spend, eject);

  let shown = -1;
  /** @type {() => void} */
  let stop = () => {};

  /** @param {number} share */
  const height = (share) => FLOOR - share * (FLOOR - TOP - 10);

  /** @param {Scene} scene */
  function update(scene) {
    const now = fields(scene.position)[fluid];
    const full = Math.max(1, fields(scene.start)[fluid], now);
    const ahead = scene.ghost ? fields(scene.ghost)[fluid] : now;
    stop();
    const from = shown < 0 ? now : shown;
    stop = over(from === now ? 0 : FLOW_MS, (share) => {
      shown = between(from, now, eased(share));
      const y = height(shown / full).toFixed(1);
      set(body, { d: `M0 ${y}H100V204H0Z` });
      set(surface, { cy: y });
      for (const part of [surface, body]) part.classList.toggle("hidden", shown < 0.01);
      number.textContent = amount(Math.round(shown));
    });
    const mark_y = height(ahead / full).toFixed(1);
    set(mark, { d: ahead === now ? "M0 0" : `M${LEFT} ${mark_y}A36 8 0 0 0 ${RIGHT} ${mark_y}` });
    const step = full <= 16 ? 1 : Math.ceil(full / 16);
    const lines = Array.from({ length: Math.floor(full / step) }, (_, index) =>
      height(((index + 1) * step) / full).toFixed(1),
    );
    if (scale.childElementCount !== lines.length) {
      scale.replaceChildren(...lines.map((y) => s("path", { d: `M${RIGHT - 12} ${y}h9` })));
    }
    offer(spend, scene, `spend ${fluid}`, { label: t("picture.spend_what", { fluid }) });
    offer(eject, scene, `eject ${fluid}`, { label: t("picture.eject_what", { fluid }) });
  }
  return { element, update };
}
