/** An amount chosen by steps or by typing, among the amounts that make a legal move. */
import { h, set } from "../dom/build.js";
import { t } from "../words/words.js";

export function stepper() {
  const field = h("input.number", { type: "number", inputmode: "numeric", min: 0, step: 1 });
  const fewer = h("button.small", { "aria-label": t("picture.fewer") }, "−");
  const more = h("button.small", { "aria-label": t("picture.more") }, "+");
  const element = h("div.stepper", { role: "group" }, fewer, field, more);
  /** @type {number[]} */
  let amounts = [];
  let now = 0;
  /** @type {(amount: number) => void} */
  let choose = () => {};

  fewer.addEventListener("click", () => pick(amounts.findLast((amount) => amount < now)));
  more.addEventListener("click", () => pick(amounts.find((amount) => amount > now)));
  field.addEventListener("change", () => pick(Number(field.value)));

  /** @param {number | undefined} amount */
  function pick(amount) {
    if (amount !== undefined && amount !== now && amounts.includes(amount)) choose(amount);
    else field.value = String(now);
  }

  /** @type {(possible: number[], chosen: number, next: (amount: number) => void, label: string) => void} */
  function update(possible, chosen, next, label) {
    [amounts, now, choose] = [possible, chosen, next];
    element.classList.toggle("hidden", amounts.length === 0);
    set(field, { "aria-label": label, max: amounts.at(-1) ?? 0 });
    set(element, { "aria-label": label });
    field.value = String(chosen);
    field.disabled = amounts.length === 0;
    fewer.disabled = !amounts.some((amount) => amount < now);
    more.disabled = !amounts.some((amount) => amount > now);
  }
  return { element, update };
}
