/** The time as a dial: turning its hand back lets time pass, turning it forward spends nuggets. */
import { changes, fill, h, s, say, set } from "../dom/build.js";
import { gliding } from "../dom/motion.js";
import { doing } from "../words/moves.js";
import { t } from "../words/words.js";
import { hold, placeIn } from "./drag.js";
import { amount, area, fields, line, offer, showNumber, still } from "./picture.js";

const TURN_MS = 600;
const RADIUS = 78;
/** The radius of the mark of the last move, and of the disc that keeps the digits free of the hand. */
const LAST_RADIUS = 88;
const DISC_RADIUS = 41;
const WINNING_MOST = 64;
/** The number of nuggets that are drawn one by one; larger amounts are only a number. */
const COUNTED_MOST = 12;

export function dial() {
  const ticks = s("g");
  const rest = s("path", line("plate-line", 9));
  const ahead = s("path", line("hull-trim", 10));
  const extra = s("path", line("coin", 9, "2 4"));
  const was = s("path.dial-last", line("hull-trim", 5, "2 4"));
  const winning = s("g");
  const hand = s("path.dial-hand", { d: `M-7 ${-DISC_RADIUS}L0 ${-RADIUS + 8}L7 ${-DISC_RADIUS}Z`, ...area("ink") });
  const number = s("text.dial-number", { "text-anchor": "middle", y: 13 });
  const face = s(
    "svg.dial",
    { viewBox: "-104 -104 208 208", role: "slider" },
    s("circle", { r: 98, ...area("raised", "line-strong") }),
    s("circle", { r: 92, ...area("panel") }),
    ticks,
    s("circle", { r: RADIUS, ...line("raised", 9) }),
    extra,
    rest,
    ahead,
    was,
    winning,
    hand,
    s("circle", { r: DISC_RADIUS, ...area("panel", "line-strong") }),
    number,
  );
  const nuggets = h("div.nuggets");
  const sentence = h("p.dial-words", { "aria-hidden": "true" });
  const one = h("button.small", "−1");
  const plus = h("button.small", "+1");
  const controls = h("div.controls.row", one, nuggets, plus);
  const element = h("section.instrument.dial-part", h("h2", t("picture.time")), face, sentence, controls);

  const hasOtherNuggets = changes();
  let [scale, time, most, goal] = [0, 0, 0, 0];
  let scene = still("");

  /** @param {number} value */
  const write = (value) => (value < time ? `time -${time - value}` : `time +${value - time}`);
  /** The move proposed since the last update: proposing it again would play it. @type {string | null} */
  let proposed = null;
  /** @param {number} value */
  const aim = (value) => {
    const move = write(value);
    if (move === (proposed ?? scene.chosen) || !scene.legal.allows(move)) return;
    proposed = move;
    scene.propose(move);
  };
  const may = () => scene.legal.allows("time -1") || scene.legal.allows("time +1");
  turn(face, may, (share) => aim(Math.min(most, Math.round(share * scale))));
  face.addEventListener("keydown", press);

  /** @param {KeyboardEvent} event */
  function press(event) {
    if (event.key === "Enter" && goal !== time && scene.chosen) scene.propose(scene.chosen);
    const to = stepped(event.key, goal, most);
    if (to === null) return;
    event.preventDefault();
    aim(to);
  }

  const glide = gliding(TURN_MS, ([value]) => {
    set(rest, { d: arc(0, value / scale) });
    set(hand, { transform: `rotate(${(360 * value) / scale})` });
    showNumber(number, value);
  });

  /** @param {Scene} next */
  function update(next) {
    scene = next;
    proposed = null;
    const now = fields(next.position);
    const first = fields(next.start);
    const ghost = next.ghost ? fields(next.ghost) : null;
    time = now.time;
    const full = Math.max(1, first.time + first.nuggets, now.time + now.nuggets);
    if (full !== scale) {
      scale = full;
      drawTicks(ticks, scale);
    }
    glide(time);
    most = time + now.nuggets;
    goal = ghost ? ghost.time : (aimed(next.chosen, time) ?? time);
    const stroke = `var(--${goal > time ? "coin" : "hull-trim"})`;
    set(ahead, { d: arc(Math.min(goal, time) / scale, Math.max(goal, time) / scale), stroke });
    const [at, earlier] = [time / scale, (time - (aimed(next.last, 0) ?? 0)) / scale];
    set(was, { d: arc(Math.min(at, earlier), Math.max(at, earlier), LAST_RADIUS) });
    const turns = next.winning?.within("time ").list(WINNING_MOST) ?? [];
    const wins = turns.map((turn) => aimed(`time ${turn}`, time)).filter((to) => to !== null);
    const mark = { cy: -LAST_RADIUS, r: 8, ...area("win", "panel") };
    const markAt = (/** @type {number} */ to) => ({ ...mark, transform: `rotate(${(360 * to) / scale})` });
    winning.replaceChildren(...wins.map((to) => s("circle.dial-winning", markAt(to))));
    set(extra, { d: arc(time / scale, Math.min(1, (time + now.nuggets) / scale)) });
    showNuggets(now.nuggets, goal > time ? goal - time : 0);
    showControls(next);
  }

  /** @type {(count: number, used: number) => void} */
  function showNuggets(count, used) {
    if (!hasOtherNuggets(count, used)) return;
    const words = h("span", t("picture.nuggets", { count: amount(count) }));
    fill(nuggets, words, h("span.pips", { "aria-hidden": "true" }, ...pips(count, used)));
  }

  /** @param {Scene} next */
  function showControls(next) {
    const can = may();
    face.classList.toggle("turns", can);
    const value = { "aria-valuemin": 0, "aria-valuemax": most, "aria-valuenow": goal, "aria-disabled": String(!can) };
    const move = goal === time ? null : write(goal);
    const mark = next.winning && move && `, ${t(next.winning.allows(move) ? "marks.wins" : "marks.loses")}`;
    set(face, { tabindex: can ? 0 : -1, "aria-label": `${t("picture.time")}: ${amount(time)}`, ...value });
    set(face, { "aria-valuetext": amount(goal) + (mark ?? "") });
    say(sentence, goal === time || !next.chosen ? t("picture.time_turn") : doing(next.chosen));
    offer(one, next, "time -1", { label: t("picture.time_less", { count: 1 }) });
    offer(plus, next, "time +1", { label: t("picture.time_more", { count: 1 }) });
  }
  return { element, update };
}

/** @type {(move: string | null, time: number) => number | null} */
function aimed(move, time) {
  const found = /^time ([+-])(\d+)$/.exec(move ?? "");
  return found ? time + Number(found[2]) * (found[1] === "+" ? 1 : -1) : null;
}

/** Returns the time that a key sets the hand to. @type {(key: string, from: number, most: number) => number | null} */
function stepped(key, from, most) {
  const steps = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 };
  const step = /** @type {Record<string, number>} */ ({ ...steps, Home: -most, End: most })[key];
  return step ? Math.max(0, Math.min(most, from + step)) : null;
}

/** @type {(count: number, used: number) => any[]} */
function pips(count, used) {
  if (count > COUNTED_MOST) return [h("i.pip"), `× ${amount(count)}`];
  return Array.from({ length: count }, (_, index) => h(`i.pip${index >= count - used ? ".used" : ""}`));
}

/** @type {(host: Element, scale: number) => void} */
function drawTicks(host, scale) {
  const step = scale <= 64 ? 1 : Math.ceil(scale / 48);
  const marks = Array.from({ length: Math.ceil(scale / step) }, (_, tick) => {
    const [d, paint] = tick % 5 ? ["M0 -90V-86", line("line-strong", 1.2)] : ["M0 -90V-83", line("ink", 2)];
    return s("path", { d, transform: `rotate(${(360 * tick * step) / scale})`, ...paint });
  });
  host.replaceChildren(...marks);
}

/**
 * A drag points to shares of a turn, while there `may` be one.
 * @type {(face: SVGSVGElement, may: () => boolean, setTo: (share: number) => void) => void}
 */
function turn(face, may, setTo) {
  /** The share at the last move of the pointer, so that a drag past the top stops there. */
  let last = 0;
  /** @param {PointerEvent} event */
  const point = (event) => {
    const { x, y } = placeIn(face, event);
    return (Math.atan2(x, -y) / (2 * Math.PI) + 1) % 1;
  };
  hold(face, may, {
    begin(event) {
      last = point(event);
      setTo(last);
    },
    move(event) {
      const share = point(event);
      if (Math.abs(share - last) > 0.5) return setTo(last < 0.5 ? 0 : 1);
      last = share;
      setTo(share);
    },
  });
}

/** From and to shares of a whole turn from the top. @type {(from: number, to: number, radius?: number) => string} */
function arc(from, to, radius = RADIUS) {
  const share = Math.min(to - from, 0.9999);
  if (share <= 0.0001) return "M0 0";
  const [a, b] = [from, from + share].map((part) => 2 * Math.PI * part - Math.PI / 2);
  /** @param {number} angle */
  const at = (angle) => `${(radius * Math.cos(angle)).toFixed(2)} ${(radius * Math.sin(angle)).toFixed(2)}`;
  return `M${at(a)}A${radius} ${radius} 0 ${share > 0.5 ? 1 : 0} 1 ${at(b)}`;
}
