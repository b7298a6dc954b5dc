/**
 * The renewal of an outdated page that nobody uses. It is loaded some seconds after the first picture. A page that is
 * upgraded before that does not load itself anew, and its links do.
 */
import { isOutdated } from "./renewal.js";
import { isEnd } from "./wire/own_matches.js";

const LOOK_MS = 5_000;
/** The time without a touch or a key after which nobody uses a page that is in sight, in milliseconds. */
const UNUSED_MS = 60_000;

/** Loads the page anew once the server has another version and nobody uses this one. @param {Connection} connection */
export function renewUnused(connection) {
  let usedAt = performance.now();
  for (const event of ["pointerdown", "keydown", "wheel"]) {
    addEventListener(event, () => (usedAt = performance.now()), { capture: true, passive: true });
  }
  setInterval(() => {
    const isUnused = document.hidden || performance.now() - usedAt > UNUSED_MS;
    const renewed = connection.pageVersion;
    if (!isOutdated(connection) || !connection.open || !isUnused || isBusy(connection)) return;
    // While servers of two versions run behind one address, the page may get its own version again. It tries once.
    if (history.state?.renewed === renewed) return;
    history.replaceState({ renewed }, "");
    location.reload();
  }, LOOK_MS);
}

/** Returns whether a reload would disturb: a running match, a sheet, a typed text. @param {Connection} connection */
function isBusy({ own }) {
  /** @type {NodeListOf<HTMLInputElement>} */
  const fields = document.querySelectorAll("input:not([type]), textarea");
  return (
    own.current.some((one) => !isEnd(one)) ||
    !!document.querySelector("dialog[open], :popover-open, [data-sheet]") ||
    [...fields].some((field) => field.offsetParent && field.value !== field.defaultValue)
  );
}
