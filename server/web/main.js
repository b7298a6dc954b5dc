/**
 * The entry point: it shows the view of the current address. A view is loaded when it is first shown, and the other
 * one when the network is idle. Views know the connection and the texts, and no other view.
 */
import { header } from "./views/header.js";
import { Connection } from "./wire/connection.js";
import { settings } from "./wire/storage.js";
import { t, use_language } from "./words/words.js";

/** @typedef {{ element: HTMLElement, leave?: () => void }} View */
/** @typedef {{ connection: Connection, go: (path: string) => void, rebuild: () => void }} Page */

/** The delay after which the other view is loaded. */
const PRELOAD_DELAY_MS = 2_500;

const connection = new Connection();
const main = /** @type {HTMLElement} */ (document.getElementById("main"));
/** @type {View | null} */
let shown = null;
/** The number of navigations, by which a view that loads late notices that it is outdated. */
let navigation = 0;

/** @type {Page} */
const page = {
  connection,
  go(path) {
    if (path !== location.pathname) history.pushState(null, "", path);
    show();
    main.focus({ preventScroll: true });
    scrollTo(0, 0);
  },
  async rebuild() {
    await use_language(settings().language);
    show_header();
    show();
  },
};

function show_header() {
  const bar = /** @type {HTMLElement} */ (document.getElementById("top"));
  bar.replaceChildren(...header(page));
  const skip = /** @type {HTMLAnchorElement} */ (document.querySelector(".skip"));
  skip.textContent = t("skip");
}

async function show() {
  const current = ++navigation;
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
  // The address changed while the view was loaded.
  if (current !== navigation) return;
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

connection.start();
await use_language(settings().language);
show_header();
await show();
setTimeout(
  () => Promise.all([import("./views/match.js"), import("./views/home.js")]).catch(() => {}),
  PRELOAD_DELAY_MS,
);
