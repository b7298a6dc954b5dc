/**
 * The page's beginning: which view stands at which address. Views know the line and the words, and no other view.
 */
import { home } from "./views/home.js";
import { match } from "./views/match.js";
import { top } from "./views/top.js";
import { Line } from "./wire/line.js";
import { speak, t } from "./words/words.js";

/** @typedef {{ element: HTMLElement, leave?: () => void }} View */
/** @typedef {{ line: Line, go: (path: string) => void, again: () => void }} Page */

const line = new Line();
const main = /** @type {HTMLElement} */ (document.getElementById("main"));
/** @type {View | null} */
let shown = null;

/** @type {Page} */
const page = {
  line,
  go(path) {
    if (path !== location.pathname) history.pushState(null, "", path);
    show();
    main.focus({ preventScroll: true });
    scrollTo(0, 0);
  },
  again() {
    speak();
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

function show() {
  shown?.leave?.();
  const [, code] = /^\/m\/([^/]+)\/?$/.exec(location.pathname) ?? [];
  shown = code ? match(page, decodeURIComponent(code)) : home(page);
  main.replaceChildren(shown.element);
}

document.addEventListener("click", (event) => {
  const link = /** @type {Element} */ (event.target).closest("a[data-go]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  page.go(/** @type {HTMLAnchorElement} */ (link).pathname);
});
addEventListener("popstate", show);

speak();
header();
show();
line.start();
