/** A list of which one is chosen, with its label. */
import { h } from "./build.js";

/**
 * @typedef {readonly (readonly [value: string, text: string])[]} Values
 * @type {(id: string, label: string, values: Values, chosen?: string) => { element: any, list: HTMLSelectElement }}
 */
export function choice(id, label, values, chosen) {
  const options = values.map(([value, text]) => h("option", { value, selected: value === chosen }, text));
  const list = h("select", { id }, ...options);
  return { list, element: h("div.field", h("label", { for: id }, label), list) };
}
