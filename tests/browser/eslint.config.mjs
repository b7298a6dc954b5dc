/**
 * Lints for the page and for the tests written in JavaScript. `npm run lint` starts it at the top of the repository.
 */
import js from "@eslint/js";
import stylistic from "@stylistic/eslint-plugin";
import globals from "globals";

const PAGE = ["server/web/**/*.js"];
const TESTS = ["tests/**/*.mjs"];

export default [
  { ignores: ["**/node_modules/**", "**/target/**", "tests/artifacts/**"] },
  js.configs.recommended,
  {
    files: [...PAGE, ...TESTS],
    plugins: { "@stylistic": stylistic },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      "@stylistic/max-len": ["error", { code: 120, ignoreUrls: true }],
      // Reading a name of the wire is no offence; the durations that the page sends end in `_ms`.
      camelcase: ["error", { allow: ["_ms$"] }],
      curly: ["error", "multi-line"],
      eqeqeq: "error",
      "no-console": "error",
      "no-duplicate-imports": "error",
      "no-eval": "error",
      "no-unused-vars": ["error", { ignoreRestSiblings: true }],
      "no-useless-rename": "error",
      "no-var": "error",
      "object-shorthand": "error",
      "prefer-const": ["error", { destructuring: "all" }],
    },
  },
  {
    files: PAGE,
    languageOptions: { sourceType: "module", globals: globals.browser },
    // Text of players must never become markup: `dom/build.js` makes elements from values.
    rules: {
      "no-restricted-properties": [
        "error",
        ...["innerHTML", "outerHTML", "insertAdjacentHTML"].map((property) => ({
          property,
          message: "Use h() and fill() of dom/build.js.",
        })),
      ],
    },
  },
  {
    files: ["tests/**/*.cjs"],
    languageOptions: { sourceType: "commonjs", globals: globals.node },
  },
  {
    files: TESTS,
    // Functions given to `page.evaluate` run in the browser.
    languageOptions: { sourceType: "module", globals: { ...globals.node, ...globals.browser } },
    rules: { "no-console": "off" },
  },
];
