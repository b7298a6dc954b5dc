/** Tells whether the page is older than the server's: an upgrade takes the modules of other versions away. */

/** This page's version, from the address of its modules: `/page/VERSION/…`. */
const [, , OWN] = new URL(import.meta.url).pathname.split("/");

/** Returns whether the server has another version of the page. @param {Connection} connection */
export function isOutdated({ pageVersion }) {
  return !!pageVersion && pageVersion !== OWN;
}
