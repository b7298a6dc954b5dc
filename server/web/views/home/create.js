/**
 * The form for a new match with all its options.
 *
 * @typedef {"bot" | "friend" | "open"} OpponentKind
 */
import { NOTATION, check, fill, form, h } from "../../dom/build.js";
import { segments } from "../../dom/segments.js";
import { catalogue } from "../../wire/catalogue.js";
import { rules, title } from "../../words/games.js";
import { changeSettings, identity, settings } from "../../wire/storage.js";
import { t } from "../../words/words.js";
import { amount, control } from "../durations.js";
import { attempts } from "../fault.js";
import { nameField } from "../name_field.js";
import { start } from "../start_match.js";

/** @type {import("../../wire/types.js").TimeControl[]} */
const TIMES = [
  "none",
  { match: { initial_ms: 60_000, increment_ms: 2_000 } },
  { match: { initial_ms: 300_000, increment_ms: 3_000 } },
  { match: { initial_ms: 900_000, increment_ms: 10_000 } },
  { move: { each_ms: 30_000 } },
  { move: { each_ms: 86_400_000 } },
];
/** The absences after which a player may lose, in milliseconds. */
const GRACES = [120_000, 30_000, 600_000, 86_400_000];

/** Returns the parts of the form that are asked for what they say. @param {import("../../main.js").Page} page */
function inputs(page) {
  const times = TIMES.map((name) => h("option", { value: JSON.stringify(name) }, control(name) || t("time.none")));
  const graces = GRACES.map((ms) =>
    h("option", { value: String(ms), selected: ms === GRACES[0] }, t("home.grace_after", { time: amount(ms) })),
  );
  return {
    game: h("select", { id: "create-game" }, h("option", { value: "fib-fob" }, "Fib Fob")),
    opponents: choice("opponent", ["bot", "friend", "open"], "bot"),
    program: h("select", { id: "create-program" }),
    level: choice("level", ["novice", "casual", "strong", "perfect"], settings().level),
    firstMoves: choice("first", ["random", "me", "other", "choose"], "random"),
    time: h("select", { id: "create-time" }, ...times),
    grace: h("select", { id: "create-grace" }, ...graces),
    from: choice("start", ["random", "wild", "typed"], "random"),
    position: h("input.position-field", { id: "create-position", ...NOTATION }),
    learning: h("input", { type: "checkbox", name: "learning" }),
    hidden: h("input", { type: "checkbox", name: "private" }),
    programs: h("input", { type: "checkbox", name: "programs" }),
    name: nameField(page, "create-name"),
  };
}

/** Returns the form. @param {import("../../main.js").Page} page */
export function create(page) {
  const parts = inputs(page);
  const { game, opponents, program, level, firstMoves, time, grace, from, position, learning, hidden, programs, name } =
    parts;
  const about = h("p.quiet.game-rules");
  const hint = h("p.quiet.opponent-hint");
  const fault = attempts();
  /** @type {(field: any, label: import("../../words/words.js").Word) => HTMLElement} */
  const labelled = (field, label) => h("div.field", h("label", { for: field.id }, t(label)), field);
  const graceField = labelled(grace, "home.grace");
  const forPrograms = check(programs, t("home.programs"));
  const typed = labelled(position, "choice.position");
  const programField = labelled(program, "home.program");
  const fields = form(
    "form.create-form",
    () => fault.run(go),
    h("div.field.wide", h("label", { for: "create-game" }, t("home.game")), game, about),
    h("div", opponents.element, hint),
    name.element,
    programField,
    level.element,
    firstMoves.element,
    h("div", from.element, typed),
    labelled(time, "home.time"),
    graceField,
    h("div.checks", check(learning, t("home.learning")), check(hidden, t("home.private")), forPrograms),
    h("div.wide", fault.element, h("button.primary.large", { type: "submit" }, t("home.create"))),
  );
  const heading = h("h2", { id: "create-title" }, t("match.again"));
  const element = h("section.card.create", { "aria-labelledby": "create-title" }, heading, fields);
  /** @type {import("../../wire/types.js").GameInfo[]} */
  let games = [];
  /** The game that was chosen before the list of games was there. @type {string | null} */
  let wanted = null;

  /** The programs that have registered. @type {import("../../wire/types.js").ProgramEntry[]} */
  let known = [];
  function list() {
    const listed = page.connection.request({ type: "programs" });
    listed.then(
      ({ programs }) => ((known = programs), show()),
      () => {},
    );
  }

  /** Offers the programs that play the chosen game; returns the chosen one, empty for the server's bot. */
  function chosenProgram() {
    const playing = known.filter(({ games }) => games.some((played) => played.game === game.value));
    const chosen = playing.some(({ name }) => name === program.value) ? program.value : "";
    const options = playing.map(({ name, author }) =>
      h("option", { value: name }, author ? `${name} (${author})` : name),
    );
    fill(program, h("option", { value: "" }, t("home.opponent_bot")), ...options);
    program.value = chosen;
    programField.hidden = !playing.length || opponents.value() !== "bot";
    return programField.hidden ? "" : chosen;
  }

  /** The opponent at the last change: a match with a friend is private unless the viewer changes that. */
  let kind = "bot";

  function show() {
    const played = games.find(({ id }) => id === game.value);
    about.textContent = played ? rules(played) : "";
    position.placeholder = played?.example ?? "";
    const opponent = opponents.value();
    const isBot = !chosenProgram() && opponent === "bot";
    level.element.hidden = !isBot;
    typed.hidden = from.value() !== "typed";
    graceField.hidden = isBot;
    forPrograms.hidden = opponent !== "open";
    name.element.hidden = isBot || !!identity.name;
    if (opponent !== kind) hidden.checked = opponent === "friend";
    kind = opponent;
    // Against the bot the viewer chooses, because the bot would always choose the winning side.
    firstMoves.label("choose", t(isBot ? "home.first_choose_bot" : "home.first_choose"));
    hint.textContent =
      opponent === "bot" ? "" : t(opponent === "friend" ? "home.opponent_friend_hint" : "home.opponent_open_hint");
  }
  fields.addEventListener("change", (/** @type {any} */ { target }) => {
    show();
    if (target === game || opponents.element.contains(target)) list();
  });
  show();
  list();

  function go() {
    if (!name.element.hidden) name.apply();
    const opponent = /** @type {OpponentKind} */ (opponents.value());
    const chosen = chosenProgram();
    changeSettings({ level: level.value() });
    const wild = games.find(({ id }) => id === game.value)?.ranges.map(({ name, from, wild }) => [name, [from, wild]]);
    const typedPosition = from.value() === "typed" ? position.value.trim() || position.placeholder : "";
    if (chosen) hint.textContent = t("home.asking_program", { name: chosen });
    const started = start(page, {
      game: game.value,
      opponent: opponent === "bot" ? { bot: chosen || level.value() } : opponent,
      first: firstMoves.value(),
      visibility: hidden.checked ? "private" : "public",
      learning: learning.checked,
      ...(opponent === "open" && programs.checked && { programs: true }),
      time: JSON.parse(time.value),
      ...(!graceField.hidden && { grace_ms: Number(grace.value) }),
      ...(from.value() === "wild" && { start: { random: Object.fromEntries(wild ?? []) } }),
      ...(typedPosition && { start: { position: typedPosition } }),
    });
    return started.finally(show);
  }

  /** @param {typeof games} list */
  function offerGames(list) {
    games = list;
    const chosen = wanted ?? game.value;
    fill(game, ...list.map((entry) => h("option", { value: entry.id }, title(entry))));
    game.value = chosen;
    show();
  }
  catalogue().then(offerGames, () => {});

  return {
    element,
    /** @type {(id: string, opponent?: OpponentKind) => void} */
    choose(id, opponent) {
      if (games.length) game.value = id;
      else wanted = id;
      if (opponent) opponents.set(opponent);
      show();
    },
  };
}

/**
 * A group of radio buttons whose texts are `home.NAME` and `home.NAME_VALUE`.
 * @type {(name: string, values: readonly string[], chosen: string) => ReturnType<typeof segments>}
 */
function choice(name, values, chosen) {
  const word = (/** @type {string} */ word) => t(/** @type {import("../../words/words.js").Word} */ (`home.${word}`));
  const texts = values.map((value) => /** @type {const} */ ([value, word(`${name}_${value}`)]));
  return segments(name, word(name), texts, chosen);
}
