/**
 * The message that another device of the guest has signed this one out, with the two ways on.
 */
import { h } from "../dom/build.js";
import { t } from "../words/words.js";

/** @param {import("../main.js").Page} page */
export function tellSignedOut({ connection, go }) {
  /** @param {string} path */
  const leave = (path) => () => {
    box.close();
    connection.become(null);
    go(path);
  };
  const box = h(
    "dialog.ask.signed-out",
    {
      "aria-labelledby": "signed-out-title",
      // There is nothing behind it to return to.
      oncancel: (/** @type {Event} */ event) => event.preventDefault(),
      onclose: () => box.remove(),
    },
    h("h2", { id: "signed-out-title" }, t("signed_out.title")),
    h("p", null, t("signed_out.what")),
    h(
      "div.row.wrap",
      null,
      h("button.new-guest", { type: "button", onclick: leave("/") }, t("signed_out.new_guest")),
      h("button.primary.have-code", { type: "button", onclick: leave("/device") }, t("signed_out.have_code")),
    ),
  );
  document.body.append(box);
  box.showModal();
}
