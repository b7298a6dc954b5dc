/**
 * The entry point: it shows the view of the current address. A view is loaded when it is first shown, and the other
 * one when the network is idle. Views know the connection and the texts, and no other view.
 */
import { isOutdated } from "./renewal.js";
import { load } from "./routes.js";
import { gone } from "./views/fault.js";
import { header } from "./views/header.js";
import { callElsewhere } from "./views/match/calls_elsewhere.js";
import { Connection } from "./wire/connection.js";
import { settings } from "./wire/storage.js";
import { t, useLanguage } from "./words/words.js";

const PRELOAD_DELAY_MS = 2_500;

const connection = new Connection();
/** Updates the live line. A page without own matches never loads it. */
let showLine = () => {};
/** @type {Promise<void> | null} */
let lineLoading = null;
const main = /** @type {HTMLElement} */ (document.getElementById("main"));
/** @type {View | null} */
let shown = null;
/** The number of navigations, by which a view that loads late notices that it is outdated. */
let navigation = 0;

/** @type {Page} */
const page = {
  connection,
  async go(path, { replace = false } = {}) {
    if (isOutdated(connection)) return location[replace ? "replace" : "assign"](path);
    const { pathname, search, hash } = location;
    if (path !== pathname + search + hash) history[replace ? "replaceState" : "pushState"](null, "", path);
    const arrived = show();
    main.focus({ preventScroll: true });
    scrollTo(0, 0);
    return arrived;
  },
  async rebuild() {
    await useLanguage(settings().language);
    showHeader();
    await show();
  },
};

function showHeader() {
  document.getElementById("top")?.replaceChildren(...header(page));
  document.querySelector(".skip")?.replaceChildren(t("skip"));
}

async function show() {
  const current = ++navigation;
  /** @type {(page: Page) => View} */
  let make;
  try {
    make = await load(location.pathname);
  } catch {
    return recover(current);
  }
  // The address changed while the view was loaded.
  if (current !== navigation) return;
  shown?.leave?.();
  // A browser keeps the last field that was typed in, for undo, and with it the whole view around it.
  shown?.element.replaceChildren();
  shown = make(page);
  main.replaceChildren(shown.element);
  showLine();
}

/**
 * Loads the address itself, because a module of its view cannot be loaded. Either another version of the page has taken
 * this one's place, or the network is gone, or the page was left while it loaded, which a browser may keep for a step
 * back. The first view of a page does not do so while it is connected: it would fail again.
 * @param {number} current
 */
function recover(current) {
  const reload = () => location.reload();
  if (current === 1) main.replaceChildren(gone());
  else if (connection.open) return reload();
  else connection.addEventListener("state", reload, { once: true });
  addEventListener("online", reload, { once: true });
  addEventListener("pageshow", ({ persisted }) => persisted && reload());
}

document.addEventListener("click", (event) => {
  const target = /** @type {Element} */ (event.target);
  if (target.closest(".skip")) {
    // As the address of another place in the page would do it, without a step in the history, which shows a view anew.
    event.preventDefault();
    return main.focus();
  }
  const link = target.closest("a[data-go]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  const { pathname, search, hash } = /** @type {HTMLAnchorElement} */ (link);
  page.go(pathname + search + hash);
});
addEventListener("popstate", show);

connection.addEventListener("kept-away", async (event) => {
  const { tellKeptAway } = await import("./views/signed_out.js");
  tellKeptAway(page, /** @type {CustomEvent} */ (event).detail);
});

connection.addEventListener("own", (event) => {
  callElsewhere(connection, /** @type {CustomEvent} */ (event).detail);
  if (!connection.own.current.length) return;
  lineLoading ??= import("./views/live_line.js").then(
    ({ liveLine }) => {
      showLine = liveLine(connection, event);
    },
    // The next change asks again.
    () => {
      lineLoading = null;
    },
  );
});

connection.addEventListener("state", async () => {
  if (!connection.open || !settings().called) return;
  const { keepCalled } = await import("./views/push.js");
  // A push service that cannot be reached now is asked again when the page connects the next time.
  await keepCalled(connection).catch(() => {});
});

// What the server tells first is already said to screen readers, in the reader's language.
await useLanguage(settings().language);
connection.start();
showHeader();
await show();
const preload = () => Promise.all([import("./views/match.js"), import("./views/home.js")]).catch(() => {});
const renew = () =>
  import("./renew_unused.js").then(
    ({ renewUnused }) => renewUnused(connection),
    () => {},
  );
setTimeout(preload, PRELOAD_DELAY_MS);
setTimeout(renew, PRELOAD_DELAY_MS);
