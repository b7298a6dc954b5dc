/** A match that nobody has joined: the sheet of the one who invites, and what the one who is invited sees. */
import { h } from "../../dom/build.js";
import { gameInfo } from "../../wire/catalogue.js";
import { firstTime, identity, invitation, storeInvitation } from "../../wire/storage.js";
import { t } from "../../words/words.js";
import { control } from "../durations.js";
import { attempts } from "../fault.js";
import { nameField } from "../name_field.js";
import { authorOf, seatName } from "../player_names.js";
import { start } from "../start_match.js";
import { terms } from "../terms.js";
import { cards, openRules } from "./how_to_play.js";
import { shareField } from "./share.js";

/** The list of terms that had the focus when another match took the place of the one before. */
let focused = "";

/** Returns the sheet of the one who invites. @param {ShownMatch} view */
export function waiting({ state, followed, page }) {
  const { code, match } = followed;
  const kept = invitation();
  const own = kept?.code === code ? kept : null;
  const fault = attempts();
  const name = nameField(page, "invite-name");
  name.element.addEventListener("change", name.apply);
  const rules = h("div.how-body");
  gameInfo(state.game).then((game) => game && rules.append(cards(game)));
  firstTime(state.game);
  const withdraw = () =>
    fault.run(async () => {
      await page.connection.request({ type: "withdraw", match });
      await page.go("/");
    });
  // Others may join a match in the lobby at any moment.
  const choices = own && !own.sent && own.terms.opponent === "friend" ? changeable(own) : null;
  const sent = () => {
    if (own) storeInvitation({ ...own, sent: true });
    if (choices) choices.disabled = true;
  };

  /** They may change until the link is sent. @param {import("../../wire/storage.js").Invitation} own */
  function changeable(own) {
    const lists = terms("invite", own.terms);
    const { first, time } = lists;
    const element = h("fieldset.invite-terms", first.element, time.element);
    // Nobody knows the link yet, so another match takes the place of this one.
    element.addEventListener("change", (/** @type {any} */ { target }) =>
      fault.run(async () => {
        const changed = { ...own.terms, first: first.list.value, time: JSON.parse(time.list.value) };
        focused = target.id;
        await start(page, changed, { replace: true });
        page.connection.request({ type: "withdraw", match }).catch(() => {});
      }),
    );
    if (focused) {
      const id = focused;
      focused = "";
      requestAnimationFrame(() => document.getElementById(id)?.focus());
    }
    return element;
  }

  return [
    h("h2", t("match.waiting")),
    own ? h("p", t("match.waiting_hint")) : ownElsewhere(page),
    shareField(code, sent),
    name.element,
    choices,
    fault.element,
    rules,
    h("button.small.withdraw", { onclick: withdraw }, t("match.withdraw")),
  ];
}

/** Offers both seats to whoever opens an own invitation. @param {Page} page */
function ownElsewhere({ connection, go }) {
  const playBoth = () => {
    identity.separate();
    connection.become(null);
    go(location.pathname, { replace: true });
  };
  return h("p.own-match", t("invite.own"), " ", h("button.small.play-both", { onclick: playBoth }, t("invite.both")));
}

/** For whoever may take the seat. @type {(view: ShownMatch, fail: (error: any) => void) => (HTMLElement | null)[]} */
export function free({ state, followed, page, refresh }, fail) {
  const fault = attempts();
  const take = () =>
    fault.run(async () => {
      try {
        page.connection.follow(await page.connection.request({ type: "join", code: followed.code }));
        if (firstTime(state.game)) openRules(state.game);
      } catch (error) {
        fail(error);
        throw error;
      } finally {
        refresh();
      }
    });
  const name = seatName(state, "creator");
  const about = [authorOf(state.players.creator), control(state.time)].filter(Boolean).join(" · ");
  return [
    h("h2", t(state.game === "fib-fob" ? "invite.fly" : "invite.play", { name })),
    about ? h("p", about) : null,
    state.first === "joiner-chooses" ? h("p", t("choose.seat")) : null,
    state.learning ? h("p", t("match.seat_learning")) : null,
    fault.element,
    h("div.row", h("button.primary.take-seat", { onclick: take }, t("match.take_seat"))),
  ];
}
