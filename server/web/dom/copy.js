/** The clipboard. */
import { h } from "./build.js";

/** Copies a text, and returns whether it worked. @param {string} text */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Insecure origins have only the old clipboard command.
    const field = h("textarea.unseen", text);
    // Nothing outside an open dialog can be selected.
    (document.activeElement?.closest("dialog") ?? document.body).append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done;
  }
}
