/**
 * The page that a device code leads to: this browser becomes the guest of another device, after the viewer has seen
 * whose the code is, because a stranger may have sent it.
 */
import { announce } from "../dom/announce.js";
import { NOTATION, fill, form, h, submit } from "../dom/build.js";
import { identity } from "../wire/storage.js";
import { refusalText } from "../words/refused.js";
import { t } from "../words/words.js";
import { showTitle } from "./match/calls.js";
import { guestName } from "./player_names.js";

/** The longest text of the field: a code with a separator after each letter. */
const TEXT_MAX = 24;

/** @type {(page: Page) => View} */
export function device(page) {
  const { connection } = page;
  showTitle(t("device.title"));
  const code = fragment();
  // The code is a secret: it is not kept in the history.
  if (code) history.replaceState(history.state, "", location.pathname);
  const warning = h("p.replaces", { role: "status" });
  const fault = h("p.fault", { role: "alert" });
  const given = { autocomplete: "one-time-code", autocapitalize: "characters", placeholder: "XXXX-XXXX-XXXX" };
  const typing = { id: "device-code", value: code, required: true, maxlength: TEXT_MAX };
  const field = h("input.code-field.device-code-field", { ...NOTATION, ...given, ...typing });
  const button = submit(t("devices.enter"));
  const question = h("div.whose", { role: "status" });
  button.disabled = true;

  /** Tells what would be lost here, before anything is replaced. */
  async function warn() {
    const lists = [false, true].map((finished) => connection.request({ type: "matches", finished }));
    const matches = (await Promise.all(lists)).reduce((sum, list) => sum + list.matches.length, 0);
    if (!element.isConnected) return;
    if (matches || identity.name) {
      const name = guestName(connection.guest, identity.name);
      fill(warning, t(matches ? "device.replaces_matches" : "device.replaces", { name }));
    }
    button.disabled = false;
  }

  /** Asks whether to become the guest of a code, which is not used yet. @param {string} typed */
  async function look(typed) {
    const answer = await ask({ code: typed });
    if (!answer) return;
    const name = guestName(answer.guest, answer.name);
    const become = h("button.primary.become", { onclick: () => take(typed) }, t("device.become", { name }));
    fill(question, h("p", t("device.whose", { name })), h("p", t("device.stays", { name })), become);
    button.disabled = false;
  }

  /** @param {string} typed */
  async function take(typed) {
    const answer = await ask({ code: typed, agree: true });
    if (!answer) return;
    connection.become(answer);
    page.go("/", { replace: true });
    announce(t("device.done"));
  }

  /** Returns null if it is refused or nobody waits any more. @param {{ code: string, agree?: boolean }} asked */
  async function ask(asked) {
    fill(fault);
    fill(question);
    button.disabled = true;
    try {
      const answer = await connection.request({ type: "take-identity", ...asked });
      return element.isConnected ? answer : null;
    } catch (error) {
      fail(/** @type {Error} */ (error));
      field.focus();
      return null;
    }
  }

  /** @param {Error} error */
  function fail(error) {
    button.disabled = false;
    fill(fault, refusalText(error));
  }

  warn().then(() => void (code && element.isConnected && look(code)), fail);
  const element = h(
    "section.device.panel",
    { "aria-labelledby": "device-title" },
    h("h1", { id: "device-title" }, t("device.title")),
    h("p", t("device.what")),
    warning,
    form(
      "form.field",
      () => look(field.value.trim()),
      h("label", { for: "device-code" }, t("devices.code")),
      h("div.row.wrap", field, button),
    ),
    question,
    fault,
    h("p", h("a", { href: "/", "data-go": true }, t("device.not_now"))),
  );
  return { element };
}

/** Returns the code in the fragment of the address, as people type it. */
function fragment() {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return location.hash.slice(1);
  }
}
