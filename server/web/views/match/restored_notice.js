/** The notice that the server was restored from a backup, with a button that closes it. */
import { h } from "../../dom/build.js";
import { t } from "../../words/words.js";

/** @returns {HTMLElement} */
export function restoredNotice() {
  const close = h("button.small", { onclick: () => element.remove() }, t("top.close"));
  const element = h("section.card.notice.restored", h("p", t("match.restored")), h("div.row", close));
  return element;
}
