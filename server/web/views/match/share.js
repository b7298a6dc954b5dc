/**
 * The link of a match. It contains only the match's code: anyone with the link may watch, but not move.
 */
import { announce } from "../../dom/announce.js";
import { fill, h } from "../../dom/build.js";
import { copy } from "../../dom/copy.js";
import { icon } from "../../dom/icons.js";
import { public_address } from "../../wire/public_address.js";
import { t } from "../../words/words.js";

/** The time for which a copy is confirmed. */
const CONFIRMED_MS = 2_000;

export function link() {
  return `${public_address()}${location.pathname}`;
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

/**
 * Returns the link with the ways to send it.
 * @param {string} code
 */
export function share_field(code) {
  const field = h("input.link", { readonly: true, value: link(), "aria-label": t("match.share") });
  field.addEventListener("focus", () => field.select());
  const qr = h(
    "button.show-qr",
    { type: "button", "aria-haspopup": "dialog", onclick: () => show_qr(code) },
    t("match.qr"),
  );
  return h("div.row.share-row", null, field, share_button(), "share" in navigator ? sheet_button() : null, qr);
}

/**
 * Shows the link as a QR code, for a friend in the same room.
 * @param {string} code
 */
function show_qr(code) {
  const close = () => box.close();
  const secure = location.protocol === "https:" ? "?secure" : "";
  const box = h(
    "dialog.qr",
    { "aria-labelledby": "qr-title", onclose: () => box.remove() },
    h("h2", { id: "qr-title" }, t("match.qr_hint")),
    h("img", { src: `/m/${code}/qr.svg${secure}`, width: 240, height: 240, alt: t("match.qr_alt", { link: link() }) }),
    h("p.mono", null, link()),
    h("button.primary", { type: "button", onclick: close }, t("top.close")),
  );
  document.body.append(box);
  box.showModal();
}

/** Closes the QR code, because the friend has come. */
export function hide_qr() {
  /** @type {HTMLDialogElement | null} */ (document.querySelector("dialog.qr"))?.close();
}

/** Returns the button that opens the device's own sheet for sending a link. */
function sheet_button() {
  // Closing the sheet without sending is no error.
  const onclick = () => navigator.share({ title: "Fib Fob", text: t("match.invited"), url: link() }).catch(() => {});
  return h("button.share-sheet", { type: "button", onclick }, t("match.send"));
}
