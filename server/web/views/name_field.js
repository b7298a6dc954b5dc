/** The field for the guest's name, filled in with the friendly name of a guest without one. */
import { h } from "../dom/build.js";
import { identity } from "../wire/storage.js";
import { t } from "../words/words.js";
import { guestName } from "./player_names.js";

/** The longest name, as in PROTOCOL.md. */
const NAME_CHARS_MAX = 24;

/** Shows a new name in all fields of the page. The connection knows none, so that it keeps none that has left it. */
export function showNewName() {
  for (const field of document.querySelectorAll(".ask-name")) field.dispatchEvent(new Event("renamed"));
}

/** `apply` makes it the guest's. @type {(page: Page, id: string) => { element: HTMLElement, apply: () => void }} */
export function nameField({ connection }, id) {
  const field = h("input.name-field", { id, maxlength: NAME_CHARS_MAX, autocomplete: "nickname" });
  const element = h("div.field.ask-name", h("label", { for: id }, t("top.name")), field);
  const shown = () => identity.name ?? guestName(connection.guest, null);
  const show = () => {
    if (document.activeElement !== field) field.value = shown();
  };
  element.addEventListener("renamed", show);
  show();
  return {
    element,
    apply() {
      const name = field.value.trim().replace(/\s+/g, " ");
      if (name && name !== shown()) connection.rename(name);
      show();
    },
  };
}
