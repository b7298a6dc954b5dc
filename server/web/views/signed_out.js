/** The messages to a guest that is kept away: signed out by another device, forgotten, or banned, with the ways on. */
import { h } from "../dom/build.js";
import { openDialog } from "../dom/dialog.js";
import { t } from "../words/words.js";

/** @type {(page: Page, kept: import("../wire/connection.js").KeptAway) => void} */
export function tellKeptAway({ connection, go }, { why, until }) {
  if (why === "banned") {
    const text = t("banned.until", { time: new Date(until).toLocaleString() });
    openDialog("dialog.ask.banned", { id: "banned-title", title: t("refused.banned") }, h("p", text));
    return;
  }
  /** @param {string} path */
  const leave = (path) => () => {
    box.close();
    connection.become(null);
    go(path);
  };
  // There is nothing behind it to return to.
  const oncancel = (/** @type {Event} */ event) => event.preventDefault();
  const code = h("button.primary.have-code", { onclick: leave("/device") }, t("signed_out.have_code"));
  const fresh = h("button.new-guest", { onclick: leave("/") }, t("signed_out.new_guest"));
  const box = openDialog(
    "dialog.ask.signed-out",
    { id: "signed-out-title", title: t(`${why}.title`), oncancel },
    h("p", t(`${why}.what`)),
    h("div.row.wrap", fresh, why === "signed_out" && code),
  );
}
