/**
 * The viewer's own matches, and which of them ended unseen. The browser keeps the ids of unfinished matches, so that
 * the page finds an end that came while no page was open. The connection feeds it, and both end with the page.
 */
import { listed } from "./record.js";
import { keepMatches, keptMatches } from "./storage.js";

/** The most answers that a list is made of: a guest has a seat in at most 128 matches, and an answer lists 16. */
const ANSWERS_MAX = 8;

export class OwnMatches {
  /** The newest states. @type {Map<string, GuestMatch>} */
  #known = new Map();

  /** Those in play, and those with an end that the viewer has not seen. @returns {GuestMatch[]} */
  get current() {
    const kept = new Set(keptMatches());
    return [...this.#known.values()].filter((one) => isRunning(one.phase) || (isEnd(one) && kept.has(one.match)));
  }

  /** Takes newer states, and returns the changed ones with the states before. @param {GuestMatch[]} matches */
  take(matches) {
    const news = matches.map((now) => ({ before: this.#known.get(now.match), now }));
    for (const now of matches) this.#known.set(now.match, now);
    const ids = (/** @type {(one: GuestMatch) => boolean} */ test) => matches.filter(test).map(({ match }) => match);
    const closed = ids((one) => one.phase === "closed" && !isEnd(one));
    const begun = ids(({ phase }) => phase === "open" || isRunning(phase));
    keepMatches([...new Set([...keptMatches(), ...begun])].filter((match) => !closed.includes(match)));
    return news.filter(({ before, now }) => before?.version !== now.version);
  }

  /**
   * Returns the matches that the first answer has not listed: further running ones after the place `more`, and those
   * that have ended since the page was told last.
   * @type {(connection: Asked, first: GuestMatch[], more?: MatchPlace) => Promise<GuestMatch[]>}
   */
  async rest(connection, first, more) {
    const running = more ? await listed(connection, { type: "matches", before: more }, ANSWERS_MAX) : { matches: [] };
    const there = new Set([...first, ...running.matches].map(({ match }) => match));
    const gone = new Set(keptMatches().filter((match) => !there.has(match)));
    if (!gone.size) return running.matches;
    const finished = await listed(connection, { type: "matches", finished: true }, ANSWERS_MAX);
    const ended = finished.matches.filter((/** @type {GuestMatch} */ { match }) => gone.has(match));
    for (const { match } of ended) gone.delete(match);
    // Nobody can find the others any more, so that the page does not ask for them again.
    for (const match of gone) this.see(match);
    return [...running.matches, ...ended];
  }

  /** The viewer has seen the end of a match. @param {string} match */
  see(match) {
    const kept = keptMatches();
    if (kept.includes(match)) keepMatches(kept.filter((id) => id !== match));
    if (!isRunning(this.#known.get(match)?.phase)) this.#known.delete(match);
  }

  clear() {
    this.#known.clear();
  }
}

/** Returns whether a match that had two players has ended, with a winner or without one. @param {GuestMatch} one */
export function isEnd({ phase, opponent }) {
  return phase === "over" || (phase === "closed" && !!opponent);
}

/** @param {State["phase"]} [phase] */
function isRunning(phase) {
  return phase === "choosing" || phase === "playing";
}
