/** The messages to a guest that is kept away: signed out by another device, forgotten, or banned, with the ways on. */
import { h } from "../dom/build.js";
import { openDialog } from "../dom/dialog.js";
import { t } from "../words/words.js";

/** @type {(page: import("../main.js").Page, why: "signed_out" | "forgotten") => void} */
export function tellSignedOut({ connection, go }, why) {
  /** @param {string} path */
  const leave = (path) => () => {
    box.close();
    connection.become(null);
    go(path);
  };
  // There is nothing behind it to return to.
  const oncancel = (/** @type {Event} */ event) => event.preventDefault();
  const code = h("button.primary.have-code", { onclick: leave("/device") }, t("signed_out.have_code"));
  const box = openDialog(
    "dialog.ask.signed-out",
    { "aria-labelledby": "signed-out-title", oncancel },
    h("h2", { id: "signed-out-title" }, t(`${why}.title`)),
    h("p", t(`${why}.what`)),
    h(
      "div.row.wrap",
      h("button.new-guest", { onclick: leave("/") }, t("signed_out.new_guest")),
      why === "signed_out" ? code : null,
    ),
  );
}

/** @param {number} until the end of the ban, in milliseconds */
export function tellBanned(until) {
  const text = t("banned.until", { time: new Date(until).toLocaleString() });
  const heading = h("h2", { id: "banned-title" }, t("refused.banned"));
  openDialog("dialog.ask.banned", { "aria-labelledby": "banned-title" }, heading, h("p", text));
}
