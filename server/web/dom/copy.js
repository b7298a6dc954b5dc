/** The clipboard. */
import { h } from "./build.js";

/** Returns a field that shows an address, to be selected as a whole. @type {(address: string, words: string) => any} */
export function linkField(address, words) {
  const onfocus = () => field.select();
  const field = h("input.link", { readonly: true, value: address, "aria-label": words, onfocus });
  return field;
}

/** Copies a text, and returns whether it worked. @param {string} text */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Insecure origins have only the old clipboard command.
    const field = h("textarea.unseen", text);
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done;
  }
}
