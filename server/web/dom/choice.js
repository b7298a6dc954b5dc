/** A list of which one is chosen, with its label. */
import { h } from "./build.js";

/**
 * @param {string} id
 * @param {string} label
 * @param {readonly (readonly [value: string, text: string])[]} values
 * @param {string} [chosen]
 * @returns {{ element: HTMLElement, list: HTMLSelectElement }}
 */
export function choice(id, label, values, chosen) {
  const options = values.map(([value, text]) => h("option", { value, selected: value === chosen }, text));
  const list = h("select", { id }, ...options);
  return { list, element: h("div.field", h("label", { for: id }, label), list) };
}
