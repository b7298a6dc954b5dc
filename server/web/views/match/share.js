/**
 * The link of a match. It holds the match's code and nothing else: whoever has it may look, never move for a seat.
 */
import { announce } from "../../dom/announce.js";
import { fill, h } from "../../dom/build.js";
import { icon } from "../../dom/icons.js";
import { t } from "../../words/words.js";

const SAID_MS = 2_000;

export function link() {
  return `${location.origin}${location.pathname}`;
}

/**
 * The match's code, which copies the link. It says so without changing its size.
 * @param {string} code
 */
export function code_button(code) {
  const sign = h("span.row");
  const button = h(
    "button.small.share",
    { type: "button", title: t("match.share"), "aria-label": `${t("match.code", { code })}: ${t("match.share")}` },
    sign,
    code,
  );
  fill(sign, icon("link"));
  button.addEventListener("click", async () => {
    if (!(await copy(link()))) return;
    fill(sign, icon("done"));
    announce(t("match.shared"));
    setTimeout(() => fill(sign, icon("link")), SAID_MS);
  });
  return button;
}

function share_button() {
  const button = h("button.primary.share-link", { type: "button" }, t("match.share"));
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
  return h("div.row.share-row", null, field, share_button());
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
