/** The message that another device of the guest has signed this one out, with the two ways on. */
import { h } from "../dom/build.js";
import { openDialog } from "../dom/dialog.js";
import { t } from "../words/words.js";

/** @param {import("../main.js").Page} page */
export function tellSignedOut({ connection, go }) {
  /** @param {string} path */
  const leave = (path) => () => {
    box.close();
    connection.become(null);
    go(path);
  };
  // There is nothing behind it to return to.
  const oncancel = (/** @type {Event} */ event) => event.preventDefault();
  const box = openDialog(
    "dialog.ask.signed-out",
    { "aria-labelledby": "signed-out-title", oncancel },
    h("h2", { id: "signed-out-title" }, t("signed_out.title")),
    h("p", t("signed_out.what")),
    h(
      "div.row.wrap",
      h("button.new-guest", { onclick: leave("/") }, t("signed_out.new_guest")),
      h("button.primary.have-code", { onclick: leave("/device") }, t("signed_out.have_code")),
    ),
  );
}
