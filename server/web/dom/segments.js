/** A group of radio buttons in one row. */
import { h, say } from "./build.js";

/**
 * @param {string} name
 * @param {string} legend
 * @param {readonly (readonly [value: string, text: string])[]} values
 * @param {string} chosen
 */
export function segments(name, legend, values, chosen) {
  const inputs = values.map(([value]) => h("input", { type: "radio", name, value, checked: value === chosen }));
  const texts = values.map(([, text]) => h("span", text));
  const labels = inputs.map((input, index) => h("label", input, texts[index]));
  const element = h("fieldset.segments", h("legend", legend), ...labels);
  return {
    element,
    /** @type {(value: string, text: string) => void} */
    label: (value, text) => say(texts[values.findIndex(([one]) => one === value)], text),
    value: () => String(inputs.find((input) => input.checked)?.value ?? chosen),
    /** @param {string} value */
    set(value) {
      for (const input of inputs) input.checked = input.value === value;
    },
  };
}
