/**
 * The page's beginning: which view stands at which address. A view is fetched when it is first shown, the other one
 * when there is nothing else to do. Views know the line and the words, and no other view.
 */
import { top } from "./views/header.js";
import { Line } from "./wire/connection.js";
import { settings } from "./wire/storage.js";
import { t, use_language } from "./words/words.js";

/** @typedef {{ element: HTMLElement, leave?: () => void }} View */
/** @typedef {{ line: Line, go: (path: string) => void, again: () => void }} Page */

/** After so long nothing that counts is still on its way. */
const QUIET_MS = 2_500;

const line = new Line();
const main = /** @type {HTMLElement} */ (document.getElementById("main"));
/** @type {View | null} */
let shown = null;
let turn = 0;

/** @type {Page} */
const page = {
  line,
  go(path) {
    if (path !== location.pathname) history.pushState(null, "", path);
    show();
    main.focus({ preventScroll: true });
    scrollTo(0, 0);
  },
  async again() {
    await use_language(settings().language);
    header();
    show();
  },
};

function header() {
  const bar = /** @type {HTMLElement} */ (document.getElementById("top"));
  bar.replaceChildren(...top(page));
  const skip = /** @type {HTMLAnchorElement} */ (document.querySelector(".skip"));
  skip.textContent = t("skip");
}

async function show() {
  const mine = ++turn;
  const [, code] = /^\/m\/([^/]+)\/?$/.exec(location.pathname) ?? [];
  /** @type {() => View} */
  let make;
  if (code) {
    const { match } = await import("./views/match.js");
    make = () => match(page, decodeURIComponent(code));
  } else {
    const { home } = await import("./views/home.js");
    make = () => home(page);
  }
  // Somebody has gone on while a view was fetched.
  if (mine !== turn) return;
  shown?.leave?.();
  shown = make();
  main.replaceChildren(shown.element);
}

document.addEventListener("click", (event) => {
  const link = /** @type {Element} */ (event.target).closest("a[data-go]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  page.go(/** @type {HTMLAnchorElement} */ (link).pathname);
});
addEventListener("popstate", show);

line.start();
await use_language(settings().language);
header();
await show();
setTimeout(() => Promise.all([import("./views/match.js"), import("./views/home.js")]).catch(() => {}), QUIET_MS);
