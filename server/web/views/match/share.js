/**
 * The link of a match. It contains only the match's code: anyone with the link may watch, but not move.
 */
import { announce } from "../../dom/announce.js";
import { fill, h } from "../../dom/build.js";
import { icon } from "../../dom/icons.js";
import { t } from "../../words/words.js";

/** The time for which a copy is confirmed. */
const CONFIRMED_MS = 2_000;

export function link() {
  return `${location.origin}${location.pathname}`;
}

/**
 * Returns a button with the match's code that copies the link. It confirms this without changing its size.
 * @param {string} code
 */
export function code_button(code) {
  const sign = h("span.row");
  const button = h(
    "button.small.share",
    {
      type: "button",
      title: `${t("match.code", { code })}: ${t("match.share")}`,
      "aria-label": `${t("match.code", { code })}: ${t("match.share")}`,
    },
    sign,
    code,
  );
  fill(sign, icon("link"));
  button.addEventListener("click", async () => {
    if (!(await copy(link()))) return;
    fill(sign, icon("done"));
    announce(t("match.shared"));
    setTimeout(() => fill(sign, icon("link")), CONFIRMED_MS);
  });
  return button;
}

function share_button() {
  const button = h("button.primary.share-link", { type: "button" }, t("match.share"));
  button.addEventListener("click", async () => {
    if (!(await copy(link()))) return;
    button.textContent = t("match.shared");
    announce(t("match.shared"));
    setTimeout(() => (button.textContent = t("match.share")), CONFIRMED_MS);
  });
  return button;
}

export function share_field() {
  const field = h("input.link", { readonly: true, value: link(), "aria-label": t("match.share") });
  field.addEventListener("focus", () => field.select());
  return h("div.row.share-row", null, field, share_button(), "share" in navigator ? sheet_button() : null);
}

/** Returns the button that opens the device's own sheet for sending a link. */
function sheet_button() {
  // Closing the sheet without sending is no error.
  const onclick = () => navigator.share({ title: "Fib Fob", text: t("match.invited"), url: link() }).catch(() => {});
  return h("button.share-sheet", { type: "button", onclick }, t("match.send"));
}

/**
 * Copies a text, and returns whether it worked.
 * @param {string} text
 */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Insecure origins have only the old clipboard command.
    const field = h("textarea.unseen", null, text);
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done;
  }
}
