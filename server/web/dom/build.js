/**
 * Builders of elements. Text is only ever inserted as text, so nothing a player typed can become markup. Styles are set
 * as properties, because the content security policy allows no inline style.
 *
 * @typedef {Record<string, any>} Props
 * @typedef {Props | Child | Child[]} Given
 */

/**
 * Returns a way to make elements, each with its properties, if any, and its children. A button submits no form, unless
 * it says so.
 * @type {(namespace: string) => (tag: string, ...given: Given[]) => any}
 */
const maker =
  (namespace) =>
  (tag, ...given) => {
    const [name, ...classes] = tag.split(".");
    const element = document.createElementNS(namespace, name);
    if (classes.length) element.setAttribute("class", classes.join(" "));
    if (name === "button") element.setAttribute("type", "button");
    const [first, ...children] = given;
    const hasProps = first?.constructor === Object;
    if (hasProps) set(element, /** @type {Props} */ (first));
    element.append(...nodes(/** @type {(Child | Child[])[]} */ (hasProps ? children : given)));
    return element;
  };

/** Returns an HTML element: `h("button.primary", { onclick }, "Play")`. */
export const h = maker("http://www.w3.org/1999/xhtml");

export const s = maker("http://www.w3.org/2000/svg");

/** The properties of a field for what is no text in a language: a position, a move, a code. */
export const NOTATION = { autocomplete: "off", autocapitalize: "off", spellcheck: "false" };

/** A form that loads no page. @type {(tag: string, act: () => unknown, ...children: (Child | Child[])[]) => any} */
export function form(tag, act, ...children) {
  const onsubmit = (/** @type {Event} */ event) => {
    event.preventDefault();
    act();
  };
  return h(tag, { onsubmit }, ...children);
}

/** @type {(name: string, title: string, beside: Child, ...children: Child[]) => any} */
export function section(name, title, beside, ...children) {
  const id = `${name}-title`;
  const head = h("div.section-head", h("h2", { id }, title), beside);
  return h(`section.${name}`, { "aria-labelledby": id }, head, ...children);
}

/** Returns a checkbox with its words. @type {(input: Element, words: string) => any} */
export function check(input, words) {
  return h("label.check", input, h("span", words));
}

/**
 * @typedef {readonly (readonly [value: string, text: string])[]} Values
 * @type {(id: string, label: string, values: Values, chosen?: string) => { element: any, list: HTMLSelectElement }}
 */
export function choice(id, label, values, chosen) {
  const options = values.map(([value, text]) => h("option", { value, selected: value === chosen }, text));
  const list = h("select", { id }, ...options);
  return { list, element: h("div.field", h("label", { for: id }, label), list) };
}

/** Returns the button that submits its form. @param {string} words */
export function submit(words) {
  return h("button", { type: "submit" }, words);
}

/** Sets attributes, listeners (`on…`) and properties (`--…`). @type {(element: Element, props: Props) => void} */
export function set(element, props) {
  for (const [name, value] of Object.entries(props)) {
    const text = value === true ? "" : String(value);
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name.startsWith("--")) setProperty(/** @type {HTMLElement} */ (element), name, text);
    else if (value === false || value === null || value === undefined) element.removeAttribute(name);
    else if (element.getAttribute(name) !== text) element.setAttribute(name, text);
  }
}

/** @type {(element: HTMLElement, name: string, value: string) => void} */
function setProperty({ style }, name, value) {
  if (style.getPropertyValue(name) !== value) style.setProperty(name, value);
}

/** A way to ask whether values are others than at the last call. @returns {(...values: unknown[]) => boolean} */
export function changes() {
  let before = "";
  return (...values) => {
    const now = JSON.stringify(values);
    const isOther = now !== before;
    before = now;
    return isOther;
  };
}

/** The same text makes no new node to lay out. @type {(element: Element, text: string) => void} */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Replaces the children of an element. @type {(element: Element, ...children: (Child | Child[])[]) => void} */
export function fill(element, ...children) {
  element.replaceChildren(...nodes(children));
}

/** @param {(Child | Child[])[]} children */
function nodes(children) {
  const shown = children.flat().filter((child) => child !== null && child !== undefined && child !== false);
  return shown.map((child) => (child instanceof Node ? child : String(child)));
}
