/**
 * The form for a new match with all its options, in a dialog.
 *
 * @typedef {"bot" | "friend" | "open"} OpponentKind
 */
import { NOTATION, check, choice, fill, form, h, say } from "../../dom/build.js";
import { portrait } from "../../pictures/portraits.js";
import { catalogue } from "../../wire/catalogue.js";
import { record } from "../../wire/record.js";
import { rules, title } from "../../words/games.js";
import { changeSettings, settings } from "../../wire/storage.js";
import { maybe, named, t } from "../../words/words.js";
import { amount } from "../durations.js";
import { attempts } from "../fault.js";
import { levelName, playerName } from "../player_names.js";
import { start } from "../start_match.js";
import { terms } from "../terms.js";

const LEVELS = ["novice", "casual", "strong", "perfect"];
const PEOPLE = /** @type {const} */ (["friend", "open"]);
/** The absences after which a player may lose, in milliseconds. */
const GRACES = [120_000, 30_000, 600_000, 86_400_000];

/** Returns the parts of the form that are asked for what they say. */
function inputs() {
  const nameOf = (/** @type {string} */ level) => `${playerName({ kind: "bot", level })} · ${levelName(level)}`;
  const bots = LEVELS.map((level) => /** @type {const} */ ([level, nameOf(level)]));
  const opponents = [...bots, ...named("home.opponent_", PEOPLE)];
  const graces = GRACES.map((ms) => /** @type {const} */ ([String(ms), t("home.grace_after", { time: amount(ms) })]));
  return {
    game: choice("create-game", t("home.game"), [["fib-fob", "Fib Fob"]]),
    opponent: choice("create-opponent", t("home.opponent"), opponents, settings().level),
    ...terms("create"),
    from: choice("create-start", t("home.start"), named("home.start_", ["random", "wild", "typed"])),
    grace: choice("create-grace", t("home.grace"), graces),
    position: h("input.position-field", { id: "create-position", "aria-label": t("choice.position"), ...NOTATION }),
    learning: h("input", { type: "checkbox", name: "learning" }),
    hidden: h("input", { type: "checkbox", name: "private" }),
    programs: h("input", { type: "checkbox", name: "programs" }),
  };
}

/** Returns the form. @param {Page} page */
export function create(page) {
  const parts = inputs();
  const { game, opponent, first, time, from, grace, position, learning, hidden, programs } = parts;
  const about = h("p.quiet.game-rules");
  const fault = attempts();
  const pilot = pilotCard(page);
  const forPrograms = check(programs, t("home.programs"));
  from.element.append(position);
  const begin = h("button.primary", { type: "submit" }, t("home.create"));
  const cancel = h("button", { onclick: () => element.close() }, t("choice.cancel"));
  const fields = form(
    "form.create-form",
    () => fault.run(go),
    h("div.field.wide", game.element, about),
    h("div.field.wide", opponent.element, pilot.element),
    ...[first, from, time, grace].map(({ element }) => element),
    h("div.checks.wide", check(learning, t("home.learning")), check(hidden, t("home.private")), forPrograms),
    h("div.wide", fault.element, h("div.row", begin, cancel)),
  );
  const heading = h("h2", { id: "create-title" }, t("match.again"));
  const element = h("dialog.create", { "aria-labelledby": "create-title" }, heading, fields);
  /** @type {GameInfo[]} */
  let games = [];
  /** The game that was chosen before the list of games was there. @type {string | null} */
  let wanted = null;
  /** The opponent at the last change: only a match against anyone is in the lobby unless the viewer changes that. */
  let before = "";

  /** @returns {OpponentKind} */
  const kind = () => PEOPLE.find((one) => one === opponent.list.value) ?? "bot";

  function show() {
    const played = games.find(({ id }) => id === game.list.value);
    about.textContent = played ? rules(played) : "";
    position.placeholder = played?.example ?? "";
    pilot.element.hidden = kind() !== "bot";
    if (kind() === "bot") pilot.show(opponent.list.value);
    position.hidden = from.list.value !== "typed";
    grace.element.hidden = kind() === "bot";
    forPrograms.hidden = kind() !== "open";
    if (kind() !== before) hidden.checked = kind() !== "open";
    before = kind();
    // Against the bot the viewer chooses, because the bot would always choose the winning side.
    const chooses = t(kind() === "bot" ? "home.first_choose_bot" : "home.first_choose");
    say(/** @type {Element} */ (first.list.querySelector("[value=choose]")), chooses);
  }
  fields.addEventListener("change", show);
  show();

  function go() {
    const chosen = opponent.list.value;
    if (kind() === "bot") changeSettings({ level: chosen });
    const ranges = games.find(({ id }) => id === game.list.value)?.ranges ?? [];
    const wild = Object.fromEntries(ranges.map(({ name, from, wild }) => [name, [from, wild]]));
    const typed = from.list.value === "typed" ? position.value.trim() || position.placeholder : "";
    return start(page, {
      game: game.list.value,
      opponent: { bot: { bot: chosen }, friend: "friend", open: "open" }[kind()],
      first: first.list.value,
      visibility: hidden.checked ? "private" : "public",
      learning: learning.checked,
      ...(kind() === "open" && programs.checked && { programs: true }),
      time: JSON.parse(time.list.value),
      ...(kind() !== "bot" && { grace_ms: Number(grace.list.value) }),
      ...(from.list.value === "wild" && { start: { random: wild } }),
      ...(typed && { start: { position: typed } }),
    });
  }

  /** @param {typeof games} list */
  function offerGames(list) {
    games = list;
    const chosen = wanted ?? game.list.value;
    fill(game.list, ...list.map((entry) => h("option", { value: entry.id }, title(entry))));
    game.list.value = chosen;
    show();
  }
  catalogue().then(offerGames, () => {});

  return {
    element,
    /** Opens the form, for a game if one is given. @param {string} [id] */
    open(id) {
      if (id && games.length) game.list.value = id;
      else if (id) wanted = id;
      show();
      pilot.ask();
      element.showModal();
    },
  };
}

/**
 * A bot's card: its portrait, its name, one true line about how it plays, and the viewer's score against it.
 * @param {Page} page
 */
function pilotCard({ connection }) {
  const [face, name, line, score] = [h("span"), h("b"), h("p"), h("p.quiet")];
  const element = h("div.pilot", face, h("div", name, line, score));
  /** The viewer's matches, once they were asked for. @type {Awaited<ReturnType<typeof record>>} */
  let matches = [];
  let shown = "";

  /** @param {string} level */
  function show(level) {
    shown = level;
    fill(face, portrait(level));
    say(name, `${playerName({ kind: "bot", level })} · ${levelName(level)}`);
    say(line, maybe(`pilot.${level}_line`) ?? "");
    const played = matches.filter(({ against }) => against === level);
    const won = played.filter(({ won }) => won).length;
    say(score, t(played.length ? "pilot.score" : "pilot.no_score", { won, lost: played.length - won }));
  }

  function ask() {
    record(connection).then(
      (list) => {
        matches = list;
        show(shown);
      },
      () => {},
    );
  }
  return { element, show, ask };
}
