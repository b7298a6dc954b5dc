/** @type {import("stylelint").Config} */
export default {
  extends: "stylelint-config-standard",
  rules: {
    // The style sheets are ordered by what they describe, not by specificity.
    "no-descending-specificity": null,
    // Names of fonts keep their capitals.
    "value-keyword-case": ["lower", { ignoreProperties: ["font-family", "/^--/"] }],
    // Safari knows only the prefixed one.
    "property-no-vendor-prefix": [true, { ignoreProperties: ["text-size-adjust", "-webkit-text-size-adjust"] }],
    "custom-property-empty-line-before": null,
    "declaration-empty-line-before": null,
  },
};
