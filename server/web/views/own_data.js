/** What the server has of the viewer, how it forgets them, and the operator's texts. It stands in the settings. */
import { fill, h } from "../dom/build.js";
import { ask } from "../dom/dialog.js";
import { endCalls } from "./push.js";
import { settings } from "../wire/storage.js";
import { refusalText } from "../words/refused.js";
import { t } from "../words/words.js";

/** @param {import("../main.js").Page} page */
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
