/** The links to the operator's texts, where there are any. */
import { fill, h } from "../dom/build.js";
import { t } from "../words/words.js";

/** @param {Connection} connection */
export function operatorTexts(connection) {
  const element = h("nav.operator-texts.row.wrap.quiet", { "aria-label": t("texts.all"), hidden: true });
  const show = () => {
    element.hidden = connection.texts.length === 0;
    fill(element, ...connection.texts.map((name) => h("a", { href: `/${name}` }, t(`texts.${name}`))));
  };
  show();
  return { element, show };
}
