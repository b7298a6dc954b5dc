/** Dialogs that cover the page until they are closed. */
import { form, h } from "./build.js";

/**
 * Opens a dialog with a title, which has the id.
 * @type {(tag: string, props: import("./build.js").Props, ...children: Element[]) => HTMLDialogElement}
 */
export function openDialog(tag, { id, title, onclose, ...props }, ...children) {
  const box = h(tag, { "aria-labelledby": id, ...props }, h("h2", { id }, title), ...children);
  box.addEventListener("close", () => {
    box.remove();
    onclose?.();
  });
  document.body.append(box);
  box.showModal();
  return box;
}

/**
 * Asks a question and resolves to whether it was agreed to. The id is that of the title.
 * @type {(words: Record<"id" | "title" | "yes" | "no", string>, ...content: Element[]) => Promise<boolean>}
 */
export function ask({ id, title, yes, no }, ...content) {
  return new Promise((resolve) => {
    let agreed = false;
    const agree = () => {
      agreed = true;
      box.close();
    };
    const cancel = h("button", { onclick: () => box.close() }, no);
    const answers = h("div.row", cancel, h("button.primary", { type: "submit" }, yes));
    const asked = form("form", agree, ...content, answers);
    const box = openDialog("dialog.ask", { id, title, onclose: () => resolve(agreed) }, asked);
  });
}
