/** The link of a match. It contains only the match's code: anyone with the link may watch, but not move. */
import { announce } from "../../dom/announce.js";
import { fill, h } from "../../dom/build.js";
import { openDialog } from "../../dom/dialog.js";
import { copy } from "../../dom/copy.js";
import { icon } from "../../dom/icons.js";
import { publicAddress } from "../../wire/connection.js";
import { t } from "../../words/words.js";

const CONFIRMED_MS = 2_000;

function link() {
  return `${publicAddress()}${location.pathname}`;
}

/** Returns a button with the code that copies the link, and keeps its size. @param {string} code */
export function codeButton(code) {
  const words = `${t("match.code", { code })}: ${t("match.share")}`;
  const sign = h("span.row");
  const button = h("button.small.share", { title: words, "aria-label": words }, sign, code);
  return copying(button, (done) => fill(sign, icon(done ? "done" : "link")));
}

/** Makes a button copy the link and show that it did. @type {(button: any, show: (done: boolean) => void) => any} */
function copying(button, show) {
  button.addEventListener("click", async () => {
    if (!(await copy(link()))) return;
    show(true);
    announce(t("match.shared"));
    setTimeout(() => show(false), CONFIRMED_MS);
  });
  show(false);
  return button;
}

/** Returns the whole link with the ways to send it. @type {(code: string, sent: () => void) => HTMLElement} */
export function shareField(code, sent) {
  const qr = h("button.show-qr", { "aria-haspopup": "dialog", onclick: () => showQr(code) }, t("match.qr"));
  const button = h("button.primary.share-link");
  copying(button, (done) => fill(button, t(done ? "match.shared" : "match.share")));
  const ways = h("div.row.wrap", { onclick: sent }, "share" in navigator ? sheetButton() : null, button, qr);
  // Whoever selects and copies it has sent it too.
  return h("div.share-field", { oncopy: sent }, h("p.link", link()), ways);
}

/** Shows the link as a QR code, for a friend in the same room. @param {string} code */
function showQr(code) {
  const close = () => box.close();
  const secure = location.protocol === "https:" ? "?secure" : "";
  const box = openDialog(
    "dialog.qr",
    { id: "qr-title", title: t("match.qr_hint") },
    h("img", { src: `/m/${code}/qr.svg${secure}`, width: 240, height: 240, alt: t("match.qr_alt", { link: link() }) }),
    h("p.mono", link()),
    h("button.primary", { onclick: close }, t("top.close")),
  );
}

/** Closes the QR code, because the friend has come. */
export function hideQr() {
  /** @type {HTMLDialogElement | null} */ (document.querySelector("dialog.qr"))?.close();
}

/** Returns the button that opens the device's own sheet for sending a link. */
function sheetButton() {
  // Closing the sheet without sending is no error.
  const onclick = () => navigator.share({ title: "Fib Fob", text: t("match.invited"), url: link() }).catch(() => {});
  return h("button.share-sheet", { onclick }, t("match.send"));
}
