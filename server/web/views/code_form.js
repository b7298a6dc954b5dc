/**
 * The field for a device code.
 */
import { h } from "../dom/build.js";
import { t } from "../words/words.js";

/** The longest text of the field: a code with a separator after each letter. */
const TEXT_MAX = 24;

/**
 * @param {object} form
 * @param {string} form.id of the field
 * @param {string} form.act the button's text
 * @param {string} [form.code] the code to begin with
 * @param {(code: string) => unknown} form.submit
 */
export function codeForm({ id, act, code = "", submit }) {
  const field = h("input.code-field.device-code-field", {
    id,
    value: code,
    required: true,
    maxlength: TEXT_MAX,
    autocomplete: "one-time-code",
    autocapitalize: "characters",
    spellcheck: "false",
    placeholder: "XXXX-XXXX-XXXX",
  });
  const button = h("button.use-code", null, act);
  const element = h(
    "form.code-form",
    {
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        submit(field.value.trim());
      },
    },
    h("div.field", null, h("label", { for: id }, t("devices.code")), h("div.row.wrap", null, field, button)),
  );
  return { element, field, button };
}
