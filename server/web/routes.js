/**
 * The addresses of the page, and the view at each: the only list of them in the page. A view is loaded when it is first
 * shown. The server has the same list in `server/src/http.rs`.
 *
 * @typedef {(page: Page, ...parts: string[]) => View} MakeView
 */
import { codeOf } from "./views/match_address.js";

/** @param {import("./views/learn.js").Name} name */
const learning = (name) => async () => (await import("./views/learn.js")).load(name);
const match = async () => {
  const view = await import("./views/match.js");
  return (/** @type {Page} */ page) => view.match(page, codeOf(location.pathname) ?? "");
};
const home = async () => (await import("./views/home.js")).home;

/** A part that begins with a colon is any text, and the view gets it. @type {[string, () => Promise<MakeView>][]} */
export const ROUTES = [
  ["/", home],
  ["/m/:code", match],
  ["/device", async () => (await import("./views/device.js")).device],
  ["/learn", learning("map")],
  ["/learn/record", learning("record")],
  ["/learn/:lesson", learning("lesson")],
  ["/puzzle/:game/:grade/:seed", learning("puzzle")],
  ["/today", learning("today")],
  ["/analyse", learning("analyse")],
];

/** Loads the view of a path. At a path with nothing that is the start page, which says so. @param {string} path */
export async function load(path) {
  const given = path.split("/").filter(Boolean);
  for (const [address, view] of ROUTES) {
    const parts = address.split("/").filter(Boolean);
    const fits = parts.every((part, at) => part.startsWith(":") || part === given[at]);
    if (parts.length !== given.length || !fits) continue;
    const make = await view();
    return (/** @type {Page} */ page) => make(page, ...given.filter((_, at) => parts[at].startsWith(":")));
  }
  return home();
}
