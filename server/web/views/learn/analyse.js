/**
 * The analysis board: any position of any game, typed or set number by number, with moves tried and taken back, and
 * what the theory says of each. The address names the position, so that a link shows it again.
 */
import { NOTATION, changes, check, fill, form, h, set, submit } from "../../dom/build.js";
import { LegalMoves } from "../../play/legal_moves.js";
import { Study } from "../../play/study.js";
import { gameInfo } from "../../wire/catalogue.js";
import { done } from "../../words/moves.js";
import { refusalText } from "../../words/refused.js";
import { maybe, t } from "../../words/words.js";
import { attempts } from "../fault.js";
import { analysisOf, playFrom } from "../start_match.js";
import { showExplanation } from "../teach/explanation.js";
import { Bench } from "./bench.js";
import { frame, gameChoice } from "./parts.js";

/** What can be set by itself: numbers, and the file of a ship. */
const NUMBER = /\d+|\b[a-h](?=\d@)/g;
/** The largest number of a position. */
const MOST = Number.MAX_SAFE_INTEGER;
/** More numbers than this are only typed. */
const COUNTERS_MAX = 12;
/** The wait after a change of a number until it is asked about, in milliseconds. */
const SETTLE_MS = 250;

/**
 * What can be set on a picture: the text of such a position, the choices, written as moves, and what one makes of it.
 * @typedef {{ text: RegExp, choices: (position: string) => string[],
 *   after: (position: string, choice: string) => string }} Setting
 */
/** @type {Setting[]} */
const SETTINGS = [
  {
    text: /^[a-h][1-8]@[1-8]/,
    choices([file, rank, , board]) {
      // Stops of the lift further up would leave the picture.
      const seen = [1, 2, 3, 4, 5, 6, 7, 8].slice(0, Number(board) + 3);
      const others = seen.filter((one) => one !== Number(board));
      return [`ship ${file}${rank}@{a:${others.join(",")}}`, `ship {a:a..h}{b:1..8}@${board}`];
    },
    after: (position, choice) => choice.replace("ship ", "") + position.slice(4),
  },
  {
    text: /^[HT]+$/,
    choices: ({ length }) => [`turn {a:1..${length}}`],
    after(position, choice) {
      const at = Number(choice.split(" ")[1]) - 1;
      return position.slice(0, at) + (position[at] === "H" ? "T" : "H") + position.slice(at + 1);
    },
  },
];

/** @type {(page: Page) => View} */
export function analyse(page) {
  const asked = new URLSearchParams(location.search);
  let game = asked.get("game") ?? "fib-fob";
  const games = gameChoice("analyse-game", game);
  const field = h("input.position-field", { id: "analyse-position", ...NOTATION });
  const label = h("label", { for: "analyse-position" }, t("choice.position"));
  const fault = attempts();
  const typed = form("form.field", () => place(field.value), label, h("div.row", field, submit(t("analyse.set"))));
  const counters = h("div.panel.counters", { role: "group", "aria-label": t("analyse.counters") });
  const host = h("div.analyse-board");
  const told = h("div.analysis-body");
  const tried = h("ol.row.wrap.tried");
  const back = h("button.small", { onclick: () => bench?.followed.back() }, t("takeback.ask"));
  const play = h("button.small", { onclick: () => fault.run(playOn) }, t("analyse.play"));
  const trying = [h("h2", t("analyse.tried")), tried, h("div.row.wrap", back, play)];
  const side = h("section.panel.analyse-side", { "aria-label": t("analyse.values") }, told, ...trying);
  const sets = h("input", { type: "checkbox", onchange: showSetting });
  const setsLabel = check(sets, t("analyse.sets"));
  const setting = h("div.analyse-set.row.wrap", games.element, typed, setsLabel, fault.element);
  const heading = h("h1.unseen", t("learn.to_analyse"));
  const element = frame("analyse", heading, h("div.analyse", setting, host, counters, side));
  /** @type {Bench | null} */
  let bench = null;
  let timer = 0;
  const isOtherCounters = changes();

  /** Begins anew with another game. @type {(id: string, position: string) => void} */
  function open(id, position) {
    game = id;
    bench?.leave();
    bench = new Bench(page, new Study(page.connection, game));
    bench.tell([h("span", t("analyse.what"))]);
    bench.review.allowed = bench.winning.shown = true;
    bench.followed.addEventListener("change", show);
    fill(host, bench.element);
    place(position);
  }

  /** Shows a position; one that is wrong is told of, and changes nothing. @param {string} position */
  async function place(position) {
    const shown = bench;
    await fault.run(async () => shown?.followed.set(position.trim()));
  }

  /** Lets choices on the picture set the position, if this is wanted and possible. */
  function showSetting() {
    const { position } = bench?.followed.here ?? {};
    if (!bench || position === undefined) return;
    const kind = SETTINGS.find(({ text }) => text.test(position));
    setsLabel.hidden = !kind;
    const isOn = !!kind && sets.checked;
    const set = (/** @type {string} */ choice) => place(kind?.after(position, choice) ?? position);
    if (isOn) bench.draft.clear();
    if (isOn !== !!bench.setting) bench.tell([h("span", t(isOn ? "analyse.sets_what" : "analyse.what"))]);
    bench.setting = isOn
      ? { moves: new LegalMoves(kind.choices(position)), choose: set, propose: set, clear() {} }
      : null;
    bench.refresh();
  }

  function show() {
    const here = bench?.followed.here;
    // The answer may come when the page has been left.
    if (!bench || !here || !element.isConnected) return;
    const { followed } = bench;
    const { position } = here;
    history.replaceState(null, "", analysisOf(game, position));
    if (document.activeElement !== field) field.value = position;
    showCounters(position);
    showSetting();
    showExplanation(told, here, game, (move) => bench?.draft.propose(move));
    fill(
      tried,
      ...followed.plies.map(({ move }, at) => h("li.chip", { title: move }, done(move, followed.position(at)))),
    );
    set(back, { disabled: !followed.plies.length });
    set(play, { disabled: !here.legal.length });
  }

  /** Shows a field for each number of the position, unless those shown are its own. @param {string} position */
  function showCounters(position) {
    const found = /\d-\d/.test(position) ? [] : [...position.matchAll(NUMBER)];
    const values = found.length > COUNTERS_MAX ? [] : found.map(([value]) => value);
    const pieces = position.split(NUMBER);
    if (isOtherCounters(pieces, values.length)) {
      fill(counters, ...values.map((value, at) => counter(pieces, value, at)));
      return;
    }
    const fields = [...counters.querySelectorAll("input")];
    fields.forEach((field, at) => field !== document.activeElement && (field.value = values[at]));
  }

  /** @type {(pieces: string[], value: string, at: number) => any} */
  function counter(pieces, value, at) {
    const isLetter = /\D/.test(value);
    const given = isLetter ? { maxlength: 1 } : { type: "number", inputmode: "numeric", min: 0, max: MOST };
    const field = h("input.number", { ...given, ...NOTATION, value });
    field.addEventListener("input", () => {
      clearTimeout(timer);
      const values = [...counters.querySelectorAll("input")].map(({ value }) => value || "0");
      const position = pieces.map((piece, index) => piece + (values[index] ?? "")).join("");
      timer = setTimeout(() => place(position), SETTLE_MS);
    });
    return h("label.field.counter", h("span.quiet", nameOf(pieces, value, at)), field);
  }

  function playOn() {
    return playFrom(page, game, bench?.state.position ?? "");
  }

  /** @type {(id: string, position?: string | null) => Promise<void>} */
  const begin = async (id, position) => open(id, position ?? (await gameInfo(id))?.example ?? "");
  games.list.addEventListener("change", () => begin(games.list.value));
  games.known.then(
    () => begin(game, asked.get("position")),
    (/** @type {Error} */ error) => fill(fault.element, refusalText(error)),
  );
  return {
    element,
    leave() {
      clearTimeout(timer);
      bench?.leave();
    },
  };
}

/** Returns the name of a number of a position. @type {(pieces: string[], value: string, at: number) => string} */
function nameOf(pieces, value, at) {
  const [, name] = /([a-z]+)=$/.exec(pieces[at]) ?? [];
  const part =
    name ?? (/\D/.test(value) ? "file" : pieces[at + 1] === "@" ? "rank" : pieces[at] === "@" ? "board" : "");
  const isHeap = pieces.every((piece) => /^[, ]*$/.test(piece));
  return (
    maybe(`part.${part}`) ?? (part || t(isHeap ? "picture.heap" : "analyse.number", { number: at + 1, heap: at + 1 }))
  );
}
