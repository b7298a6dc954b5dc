/**
 * Commands that this tab has given and that were not answered: kept over a reload, so that they are sent again under
 * the same id and count once. It knows nothing of what they mean.
 *
 * @typedef {{ id: string, ask: { type: string, [field: string]: any } }} Command
 */

const NAME = "fibfob.unsent";
/** More than so many are not kept; the oldest are given up. */
const KEPT_MOST = 8;

/** @returns {Command[]} the oldest first */
export function unsent() {
  try {
    const kept = JSON.parse(sessionStorage.getItem(NAME) ?? "[]");
    return Array.isArray(kept)
      ? kept.filter(({ id, ask }) => typeof id === "string" && typeof ask?.type === "string").slice(-KEPT_MOST)
      : [];
  } catch {
    return [];
  }
}

/** @param {Command} command */
export function keep(command) {
  write([...unsent(), command].slice(-KEPT_MOST));
}

/** @param {string} id */
export function forget(id) {
  const kept = unsent();
  if (kept.some((command) => command.id === id)) write(kept.filter((command) => command.id !== id));
}

/** @param {Command[]} kept */
function write(kept) {
  try {
    if (kept.length) sessionStorage.setItem(NAME, JSON.stringify(kept));
    else sessionStorage.removeItem(NAME);
  } catch {
    // A browser that keeps nothing loses them with the page.
  }
}
