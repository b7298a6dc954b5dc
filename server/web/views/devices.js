/** The viewer's other devices and data, as folds of the settings. */
import { fill, h } from "../dom/build.js";
import { ask } from "../dom/dialog.js";
import { publicAddress } from "../wire/connection.js";
import { settings } from "../wire/storage.js";
import { refusalText } from "../words/refused.js";
import { t } from "../words/words.js";
import { endCalls } from "./push.js";

/** A code for another device, a field for another one's, and signing all out. @param {Page} page */
export function devices(page) {
  const { connection } = page;
  const made = h("div.device-code", { role: "status" });
  const fault = h("p.fault", { role: "alert" });
  const state = h("p.quiet.devices-state", { role: "status" });
  let expiry = 0;

  /** @type {(kind: string, act: () => Promise<void>, text: string) => any} */
  function button(kind, act, text) {
    const element = h(`button.${kind}`, { onclick: run }, text);
    async function run() {
      element.disabled = true;
      fill(state);
      fill(fault);
      await act().catch((error) => fill(fault, refusalText(error)));
      element.disabled = false;
      element.focus({ preventScroll: true });
    }
    return element;
  }

  async function make() {
    const { code, until } = await connection.request({ type: "device-code" });
    const link = `${publicAddress()}/device#${code}`;
    const picture = h("div.qr-picture", { role: "img", "aria-label": t("devices.qr_alt") });
    const words = t("devices.use", { address: `${publicAddress()}/device` });
    fill(made, h("p.code-text", code), picture, h("p.quiet", words));
    clearTimeout(expiry);
    expiry = setTimeout(() => fill(made, h("p.quiet", t("devices.expired"))), until - connection.now());
    const drawn = await draw(code).catch(() => null);
    if (drawn) picture.append(drawn);
    else picture.replaceWith(h("p.mono", link));
  }

  async function signOut() {
    const words = { title: t("devices.sign_out"), yes: t("devices.sign_out_yes"), no: t("choice.cancel") };
    if (!(await ask({ id: "sign-out-title", ...words }, h("p", t("devices.sign_out_what"))))) return;
    await connection.signOutOthers();
    clearTimeout(expiry);
    fill(made);
    fill(state, t("devices.signed_others_out"));
  }

  const leaving = button("sign-out-others", signOut, t("devices.sign_out"));
  const goTo = () => page.go("/device");
  return h(
    "div.devices",
    h("p.quiet", t("devices.what")),
    h(
      "div.row.wrap",
      button("make-code", make, t("devices.make")),
      h("button.to-code", { onclick: goTo }, t("devices.code")),
    ),
    made,
    leaving,
    state,
    fault,
  );
}

/** The code is sent in a header, because addresses are logged. @param {string} code */
async function draw(code) {
  const secure = location.protocol === "https:" ? "?secure" : "";
  const answer = await fetch(`/device/qr.svg${secure}`, { headers: { "x-device-code": code } });
  if (!answer.ok) return null;
  const { documentElement } = new DOMParser().parseFromString(await answer.text(), "image/svg+xml");
  return documentElement instanceof SVGElement ? document.importNode(documentElement, true) : null;
}

/** What the server has of the viewer, and how it forgets them. @param {Page} page */
export function ownData({ connection }) {
  const fault = h("p.fault", { role: "alert" });
  const button = h("button.forget-me", { onclick: forget }, t("forget.ask"));

  async function forget() {
    fill(fault);
    const no = t("forget.no");
    const first = { id: "forget-title", title: t("forget.title"), yes: t("forget.yes"), no };
    if (!(await ask(first, h("p", t("forget.goes")), h("p", t("forget.stays"))))) return;
    const second = { id: "forget-title", title: t("forget.sure"), yes: t("forget.sure_yes"), no };
    if (!(await ask(second, h("p", t("forget.final"))))) return;
    const settingsBox = /** @type {HTMLDialogElement | null} */ (button.closest("dialog"));
    // Closed, it takes the name that stands in it, which is not to be stored afterwards.
    const closed = new Promise((done) => settingsBox?.addEventListener("close", done, { once: true }));
    settingsBox?.close();
    await closed;
    try {
      // A push service that cannot be reached keeps an address that nobody calls.
      if (settings().called) await endCalls(connection).catch(() => {});
      // This browser forgets the guest when the server has.
      await connection.request({ type: "forget-me", guest: connection.guest });
    } catch (error) {
      if (connection.signedOut) return;
      fill(fault, refusalText(/** @type {Error} */ (error)));
      settingsBox?.showModal();
    }
  }

  return h("div.own-data.checks", h("p.quiet", t("forget.what")), button, fault);
}
