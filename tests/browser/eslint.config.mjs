/**
 * Lints for the page and for the tests written in JavaScript. `npm run lint` starts it at the top of the repository.
 */
import js from "@eslint/js";
import stylistic from "@stylistic/eslint-plugin";
import globals from "globals";

const PAGE = ["server/web/**/*.js"];
const TESTS = ["tests/**/*.mjs"];

/** The longest function, in lines, and the most ways through it, as of the functions in Rust. */
const FUNCTION_LINES_MAX = 60;
const WAYS_MAX = 20;

/**
 * Bounds the lines of a function. A callback counts for the function around it, as a closure in Rust does. A function
 * with a name of its own counts for itself: those in a component stand side by side, as those of an `impl` do.
 */
const functionLines = {
  create(context) {
    /** The lines of the functions around a node that are not theirs. @type {number[]} */
    const inner = [];
    const enter = () => inner.push(0);
    const exit = (node) => {
      const lines = node.loc.end.line - node.loc.start.line + 1;
      const own = lines - inner.pop();
      const isNamed =
        node.type === "FunctionDeclaration" || node.parent.method || node.parent.type === "MethodDefinition";
      // The words above a function are its own.
      const above = isNamed ? (context.sourceCode.getTokenBefore(node)?.loc.end.line ?? node.loc.start.line) : 0;
      const all = isNamed ? lines + Math.max(0, node.loc.start.line - above - 1) : lines - own;
      if (inner.length) inner[inner.length - 1] += all;
      if (own > FUNCTION_LINES_MAX) context.report({ node, message: `${own} lines of ${FUNCTION_LINES_MAX}` });
    };
    const kinds = ["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"];
    return Object.fromEntries(
      kinds.flatMap((kind) => [
        [kind, enter],
        [`${kind}:exit`, exit],
      ]),
    );
  },
};

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
    plugins: { house: { rules: { "function-lines": functionLines } } },
    // Text of players must never become markup: `dom/build.js` makes elements from values.
    rules: {
      // As in Rust, a `switch` counts once: its cases are read side by side.
      complexity: ["error", { max: WAYS_MAX, variant: "modified" }],
      "house/function-lines": "error",
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
