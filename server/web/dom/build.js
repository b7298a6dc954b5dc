/**
 * Builders of elements. Text is only ever inserted as text, so nothing a player typed can become markup. Styles are set
 * as properties, because the content security policy allows no inline style.
 *
 * @typedef {Node | string | number | null | undefined | false} Child
 * @typedef {Record<string, any>} Props
 */

const SVG = "http://www.w3.org/2000/svg";

/**
 * Returns an HTML element: `h("button.primary", { onclick }, "Play")`.
 * @param {string} tag
 * @param {Props | null} [props]
 * @param {...(Child | Child[])} children
 * @returns {any}
 */
export function h(tag, props, ...children) {
  const [name, ...classes] = tag.split(".");
  const element = document.createElement(name || "div");
  if (classes.length) element.className = classes.join(" ");
  return dress(element, props ?? {}, children);
}

/**
 * Returns an SVG element.
 * @param {string} tag
 * @param {Props | null} [props]
 * @param {...(Child | Child[])} children
 * @returns {any}
 */
export function s(tag, props, ...children) {
  const [name, ...classes] = tag.split(".");
  const element = document.createElementNS(SVG, name || "g");
  if (classes.length) element.setAttribute("class", classes.join(" "));
  return dress(element, props ?? {}, children);
}

/**
 * @param {Element} element
 * @param {Props} props
 * @param {(Child | Child[])[]} children
 */
function dress(element, props, children) {
  set(element, props);
  element.append(.../** @type {Node[]} */ (children.flat().filter(there).map(node)));
  return element;
}

/**
 * Sets attributes, listeners (`on…`) and custom properties (`--…`).
 * @param {Element} element
 * @param {Props} props
 */
export function set(element, props) {
  for (const [name, value] of Object.entries(props)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name.startsWith("--")) setProperty(/** @type {HTMLElement} */ (element), name, String(value));
    else if (value === false || value === null || value === undefined) element.removeAttribute(name);
    else if (element.getAttribute(name) !== String(value === true ? "" : value)) {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
}

/**
 * @param {HTMLElement} element
 * @param {string} name
 * @param {string} value
 */
function setProperty({ style }, name, value) {
  if (style.getPropertyValue(name) !== value) style.setProperty(name, value);
}

/**
 * Sets the text of an element. The same text changes nothing: a new text node would be laid out anew.
 * @param {Element} element
 * @param {string} text
 */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * Replaces the children of an element.
 * @param {Element} element
 * @param {...(Child | Child[])} children
 */
export function fill(element, ...children) {
  element.replaceChildren(.../** @type {Node[]} */ (children.flat().filter(there).map(node)));
}

/** @param {Child} child */
function there(child) {
  return child !== null && child !== undefined && child !== false;
}

/** @param {Child} child */
function node(child) {
  return child instanceof Node ? child : document.createTextNode(String(child));
}
