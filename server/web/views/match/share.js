/**
 * The link of a match. It holds the match's code and nothing else: whoever has it may look, never move for a seat.
 */
import { announce } from "../../dom/announce.js";
import { h } from "../../dom/build.js";
import { t } from "../../words/words.js";

const SAID_MS = 2_000;

export function link() {
  return `${location.origin}${location.pathname}`;
}

/** @param {string} [kind] */
export function share_button(kind = "button.small.share") {
  const button = h(kind, { type: "button" }, t("match.share"));
  button.addEventListener("click", async () => {
    if (!(await copy(link()))) return;
    button.textContent = t("match.shared");
    announce(t("match.shared"));
    setTimeout(() => (button.textContent = t("match.share")), SAID_MS);
  });
  return button;
}

export function share_field() {
  const field = h("input.link", { readonly: true, value: link(), "aria-label": t("match.share") });
  field.addEventListener("focus", () => field.select());
  return h("div.row.share-row", null, field, share_button("button.primary.share"));
}

/** @param {string} text */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // On addresses that are not secure there is no clipboard but the old one.
    const field = h("textarea.unseen", null, text);
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done;
  }
}
