/** The style sheets of what helps to learn, which the first picture of a match or of the start page does without. */
import { h } from "./build.js";

/** @type {Promise<unknown> | null} */
let loading = null;

/** Resolves when they are there, also if they cannot be loaded. */
export function lateStyles() {
  /** @type {NodeListOf<HTMLMetaElement>} */
  const places = document.querySelectorAll("meta[name=late-style]");
  loading ??= Promise.all(
    [...places].map(
      ({ content: href }) =>
        new Promise((done) =>
          document.head.append(h("link", { rel: "stylesheet", href, onload: done, onerror: done })),
        ),
    ),
  );
  return loading;
}
