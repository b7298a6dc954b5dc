/**
 * The viewer's own matches. In front are ends that the viewer has not seen and matches that wait for the viewer, then
 * the others in play. A fold has the finished ones.
 */
import { fill, h, section } from "../../dom/build.js";
import { catalogue, knownGame } from "../../wire/catalogue.js";
import { isEnd } from "../../wire/own_matches.js";
import { listed } from "../../wire/record.js";
import { changeSettings, keptMatches, settings } from "../../wire/storage.js";
import { title } from "../../words/games.js";
import { refusalText } from "../../words/refused.js";
import { t } from "../../words/words.js";
import { amount } from "../durations.js";
import { leftToMove, opponentName, stateText, waitsForViewer } from "../match_state.js";
import { entries } from "./entries.js";

const TICK_MS = 1_000;
/** The most answers that one list is made of. */
const PAGES_MAX = 8;

/** @type {(page: Page, signal: AbortSignal) => HTMLElement} */
export function ownMatches({ connection }, signal) {
  const running = list(false);
  const finished = list(true);
  const ontoggle = () => fold.open && finished.refresh();
  const fold = h("details", { ontoggle }, h("summary", t("own.finished")), finished.element);
  const element = section("own", t("own.title"), null, running.element, fold);
  // A new guest has no match, and the place for them would be an empty one.
  let isNew = !settings().played && !keptMatches().length;
  element.hidden = isNew;

  /** @param {boolean} isFinished */
  function list(isFinished) {
    const rows = entries(show);
    const fault = h("p.fault", { role: "alert" });
    const onclick = () => pages < PAGES_MAX && load(pages + 1, true);
    const more = h("button.small.more", { hidden: true, onclick }, t("own.more"));
    /** @type {GuestMatch[] | null} */
    let matches = null;
    let pages = 1;
    /** When the oldest listed match was created, if there are older ones. */
    let oldest = 0;
    let loads = 0;

    /**
     * Asks for the newest matches, in so many answers. The first added row takes the focus, if one shall.
     * @type {(wanted: number, focus?: boolean) => Promise<void>}
     */
    async function load(wanted, focus = false) {
      const current = ++loads;
      // Until another load begins, or the view is gone.
      const isWanted = () => current === loads && !signal.aborted;
      const answer = await listed(connection, { type: "matches", finished: isFinished }, wanted, isWanted).catch(
        (error) => error,
      );
      if (!isWanted()) return;
      const isRefused = answer instanceof Error;
      fill(fault, isRefused && refusalText(answer));
      if (isRefused) return;
      const known = matches?.length ?? 0;
      [matches, pages] = [answer.matches, wanted];
      show();
      if (focus) rows.focus(sorted()[known]?.code);
      oldest = answer.before?.created_at ?? 0;
      more.hidden = !answer.before || pages >= PAGES_MAX;
    }

    /** Takes newer states. Matches that are not in play any more leave. @param {GuestMatch[]} changed */
    function take(changed) {
      if (!matches) return;
      const isChanged = new Set(changed.map(({ match }) => match));
      const kept = matches.filter(({ match }) => !isChanged.has(match));
      const isAdded = (/** @type {GuestMatch} */ { phase, created_at: at }) =>
        phase !== "over" && phase !== "closed" && at >= oldest;
      const added = changed.filter(isAdded);
      matches = [...added, ...kept].sort((one, next) => next.created_at - one.created_at);
      show();
    }

    function sorted() {
      const running = matches ?? [];
      // An end that the page still keeps is unseen.
      const unseen = isFinished ? [] : connection.own.current.filter(isEnd);
      const calls = (/** @type {GuestMatch} */ one) => Number(waitsForViewer(one));
      return [...unseen, ...running.sort((one, next) => calls(next) - calls(one))];
    }

    function show() {
      if (!matches) return;
      if (sorted().length && isNew) {
        isNew = element.hidden = false;
        changeSettings({ played: true });
      }
      const list = sorted().map((one) => ({
        code: one.code,
        calls: waitsForViewer(one) || (!isFinished && isEnd(one)),
        ...row(one),
      }));
      rows.show(list, t(isFinished ? "own.finished_none" : "own.running_none"));
    }

    /** @param {GuestMatch} one */
    function row(one) {
      const name = opponentName(one, connection);
      const left = leftToMove(one, connection.now());
      const time = left === null ? "" : ` · ${t("own.left", { time: amount(left) })}`;
      return {
        who: name ? t("own.against", { name }) : t("own.alone"),
        game: [title(knownGame(one.game)), " ", h("code", one.code)],
        state: stateText(one, name ?? "") + time,
        act: t(one.phase === "over" ? "own.review" : "own.open"),
      };
    }

    return {
      element: h("div", rows.element, more, fault),
      refresh: () => load(pages),
      take,
      show,
      hasClock: () => !!matches?.some((one) => leftToMove(one, connection.now()) !== null),
    };
  }

  async function refresh() {
    if (!connection.open || document.visibilityState !== "visible") return;
    await Promise.all([running.refresh(), (fold.open || isNew) && finished.refresh()]);
  }

  /** @param {Event} event */
  function onOwn(event) {
    /** @type {{ now: GuestMatch }[]} */
    const news = /** @type {CustomEvent} */ (event).detail;
    running.take(news.map(({ now }) => now));
    if (news.some(({ now }) => isEnd(now)) && fold.open) finished.refresh();
  }

  connection.addEventListener("state", refresh, { signal });
  connection.addEventListener("own", onOwn, { signal });
  document.addEventListener("visibilitychange", refresh, { signal });
  const ticking = setInterval(() => running.hasClock() && running.show(), TICK_MS);
  signal.addEventListener("abort", () => {
    clearInterval(ticking);
  });
  catalogue().then(
    () => [running, finished].forEach(({ show }) => show()),
    () => {},
  );
  refresh();
  return element;
}
