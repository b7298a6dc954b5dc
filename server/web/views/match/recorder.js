/** The flight recorder: how a match ended, who could win move by move, and its turning points, tried again. */
import { changes, fill, h, say, set } from "../../dom/build.js";
import { onward, settings } from "../../wire/storage.js";
import { done, naming } from "../../words/moves.js";
import { t } from "../../words/words.js";
import { other, seatName } from "../player_names.js";
import { again, beginButton, botLevel, carry, offered } from "./again.js";
import { result } from "./sentences.js";
import { Trial } from "./trial.js";

/** @type {(view: ShownMatch) => Part} */
export function recorder(view) {
  const carrying = carry(view);
  const heading = h("h2");
  const reason = h("p");
  const bar = track(view);
  const words = h("p.recorder-verdict");
  const offer = h("p.offer");
  const buttons = h("div.row.wrap");
  const head = h("div.recorder-head", heading, reason);
  const element = h("section.card.notice.recorder", { hidden: true }, head, bar.element, words, offer, buttons);
  const isOther = changes();

  function update() {
    const { state, followed, misere, refused, review, trial } = view;
    carrying.update();
    const isOver = state.phase === "over" && !followed.lost;
    element.hidden = !isOver;
    element.classList.toggle("is-over", isOver);
    if (!isOver) return;
    review.update();
    bar.update();
    const { winner, players, rematch } = state;
    const tries = trial && [trial.ply, trial.attempt.tried, trial.attempt.phase, trial.found.size];
    const known = [followed.version, followed.seat, review.awaited, view.ply, misere, refused];
    if (!isOther(...known, winner, players, rematch, carrying.counts(), tries)) return;
    const { heading: title, reason: why } = result(followed, misere);
    say(heading, title);
    say(reason, why);
    element.classList.toggle("you-won", followed.seat === winner);
    element.classList.toggle("you-lost", !!followed.seat && followed.seat !== winner);
    element.classList.toggle("is-tried", !!trial);
    say(words, trial ? "" : verdict(view));
    offer.classList.toggle("fault", !!refused);
    set(offer, { role: refused ? "alert" : null });
    fill(offer, refused || offered(view, carrying.element));
    const focused = buttons.contains(document.activeElement) && document.activeElement?.className;
    fill(buttons, ...(trial ? tried(trial) : choices()));
    // Buttons that change under the keyboard keep the focus on what took their place.
    if (focused) buttons.querySelector(".primary, button")?.focus();
  }

  function choices() {
    const points = view.review.turningPoints(view.followed.seat);
    const begin = () => {
      view.trial = new Trial(view, points);
      view.trial.go(view.trial.ply);
      view.refresh();
      element.closest(".match")?.querySelector(".stage")?.focus({ preventScroll: true });
    };
    const isAgreed = view.state.rematch !== undefined;
    const tag = isAgreed ? "button.try-there" : "button.primary.try-there";
    const tries = points.length > 0 && h(tag, { onclick: begin }, t("recorder.try"));
    const next = onward();
    const isNext = next?.match === location.pathname;
    const ahead = isNext && h("a.button.next-lesson", { href: next.href, "data-go": true }, next.words);
    return [ahead, tries, playOn(view.live ? null : view.followed.position(view.ply)), ...again(view, carrying)];
  }

  /** @param {Trial} trial */
  function tried(trial) {
    const { found, points, next, attempt } = trial;
    const solved = attempt.phase === "solved";
    const go = () => next !== undefined && trial.go(next);
    const count = t("recorder.found", { found: found.size, all: points.length });
    return [
      h("p.recorder-found", count),
      solved && next !== undefined ? h("button.primary", { onclick: go }, t("recorder.next")) : null,
      !solved && next !== undefined && next !== trial.ply ? h("button", { onclick: go }, t("recorder.next")) : null,
      playOn(attempt.study.start?.position ?? null),
      h("button", { onclick: view.endTrial }, t("recorder.stop")),
    ];
  }

  /** A match against a bot from a position, in which the viewer is to move. @param {string | null} position */
  function playOn(position) {
    const { game } = view.state;
    const opponent = { bot: botLevel(view) ?? settings().level };
    const terms = () => ({ game, start: { position }, opponent, first: "me", visibility: "private" });
    const button = beginButton(view, "button.play-on", t("recorder.play_on"), terms);
    // At the end nothing is left to play on.
    button.disabled = position === null;
    return button;
  }
  return { element, update, leave: carrying.stop };
}

/** The bar: a cell for the start and for each ply, in the colour of who could win there. @param {ShownMatch} view */
function track(view) {
  const cells = h("div.track-cells");
  const meaning = { role: "slider", tabindex: 0, "aria-label": t("recorder.bar"), "aria-valuemin": 0 };
  const slider = h("div.track", meaning, cells);
  const legend = h("p.track-legend.quiet.row.wrap");
  const element = h("div.recorder-bar", slider, legend);
  const isOther = changes();
  const last = () => view.review.plies.length - 1;

  slider.addEventListener("click", (/** @type {MouseEvent} */ { clientX }) => {
    const { left, width } = slider.getBoundingClientRect();
    view.look(Math.min(last(), Math.floor(((clientX - left) / width) * (last() + 1))));
  });
  slider.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    const points = view.review.turningPoints();
    const { ply } = view;
    const to = {
      ArrowLeft: ply - 1,
      ArrowDown: ply - 1,
      ArrowRight: ply + 1,
      ArrowUp: ply + 1,
      Home: 0,
      End: last(),
      PageDown: points.findLast((point) => point < ply),
      PageUp: points.find((point) => point > ply),
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    view.look(Math.max(0, Math.min(last(), to)));
  });

  function update() {
    const { review, ply, trial, state, followed } = view;
    const at = ply;
    const { length } = review.plies;
    if (!isOther(length, followed.version, review.awaited, at, trial?.found.size, state.players)) return;
    element.classList.toggle("is-empty", !review.awaited && review.plies.length < 2);
    fill(cells, ...review.plies.map((_, index) => cell(index, at)));
    set(slider, { "aria-valuemax": Math.max(0, last()), "aria-valuenow": at, "aria-valuetext": words(at) });
    const { seat } = followed;
    const name = (/** @type {Seat} */ one) => h(`span.${one}`, one === seat ? t("player.you") : seatName(state, one));
    const first = seat ?? "creator";
    const points = review.turningPoints().length > 0 && h("span.track-points", t("recorder.turns"));
    fill(legend, h("span", t("recorder.legend"), " ", name(first), " · ", name(other(first))), points);
  }

  /** @type {(index: number, at: number) => HTMLElement} */
  function cell(index, at) {
    const { review, trial } = view;
    const look = [
      review.winner(index) ?? "unknown",
      review.turns(index) && "turns",
      index === at && "here",
      trial?.found.has(index) && "found",
    ];
    return h(`i.track-cell.${look.filter(Boolean).join(".")}`);
  }

  /** Returns what the bar says of a ply to those who do not see it. @param {number} ply */
  function words(ply) {
    const { review, state, followed } = view;
    const winner = review.winner(ply);
    const can = !winner
      ? t("recorder.unknown")
      : winner === followed.seat
        ? t("recorder.can_you")
        : t("recorder.can", { name: seatName(state, winner) });
    const at = ply === 0 ? t("recorder.at_start") : t("recorder.at", { ply });
    const { seat } = review.plies[ply] ?? {};
    if (!review.turns(ply) || !seat) return `${at}: ${can}`;
    const { better } = turn(view, ply);
    const gave = t(seat === followed.seat ? "recorder.gave_you" : "recorder.gave", { name: seatName(state, seat) });
    return `${at}: ${can} ${gave} ${better ? t("recorder.better", { better }) : ""}`.trim();
  }
  return { element, update };
}

/** Returns "once", "twice" or "3 times". @param {number} count */
function times(count) {
  return t(count === 1 ? "recorder.once" : count === 2 ? "recorder.twice" : "recorder.times", { count });
}

/** At a turning point. @type {(view: ShownMatch, ply: number) => { done: string, better: string }} */
function turn({ review }, ply) {
  const before = review.plies[ply - 1].position;
  const { move = "", better } = review.plies[ply];
  const wins = better ? naming(better, before) : "";
  return { done: done(move, before), better: wins };
}

/** Returns the verdict of the review in one sentence. @param {ShownMatch} view */
function verdict(view) {
  const { review, state, followed } = view;
  const { winner } = state;
  if (review.awaited || !winner || !review.verdict) return "";
  const { kind, ply = 0, returned } = review.verdict;
  if (kind === "unknown") return t("recorder.unknown");
  const { seat } = followed;
  const won = seat === winner;
  /** The words differ for the winner, the loser and everybody else. */
  const say = (/** @type {string} */ about, /** @type {object} */ values = {}) => {
    const name = seatName(state, seat ? other(seat) : winner);
    const given = { name, loser: seatName(state, other(winner)), ...values };
    return t(/** @type {Word} */ (`recorder.${!seat ? "watch" : won ? "won" : "lost"}_${about}`), given);
  };
  if (kind !== "given-away") return say(kind);
  if (won && returned) return say("back", { times: times(returned) });
  const at = turn(view, ply);
  return say(at.better || won ? "turn" : "turn_plain", { ply, ...at });
}
