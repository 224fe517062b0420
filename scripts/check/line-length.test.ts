import assert from "node:assert/strict";
import { test } from "node:test";
import { longLines } from "./line-length.ts";

const words = (columns: number): string => "word ".repeat(columns / 5).trimEnd();

test("a comment ends at column 100, whichever form it has, and code is left to the formatter", () => {
  const text = [
    `// ${words(95)}`,
    `// ${words(100)}`,
    "/**",
    ` * ${words(100)}`,
    " */",
    `  /** ${words(100)} */`,
    `  const value = 1; // ${words(100)}`,
    `  const text = "${words(100)}";`,
  ].join("\n");
  assert.deepEqual(longLines(text, "a.ts"), [2, 4, 6, 7]);
  assert.deepEqual(longLines(`# ${words(100)}\nkey: ${words(100)}\nkey: 1 # ${words(100)}`, "a.yaml"), [1, 3]);
});

test("prose ends at column 120; tables and code may be wider", () => {
  const long = words(125);
  const text = [long, `- ${long}`, `| ${long} |`, "```", long, "```", long, "", `    ${long}`, "", long].join("\n");
  assert.deepEqual(longLines(text, "a.md"), [1, 2, 7, 11]);
});

test("a line that cannot be broken, such as an address, may be longer", () => {
  const address = `https://example.com/${"a".repeat(200)}`;
  assert.deepEqual(longLines(`// ${address}\n/** ${address} */\n * See ${address}`, "a.ts"), [3]);
  assert.deepEqual(longLines(`- ${address}`, "a.md"), []);
});
