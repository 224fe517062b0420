import assert from "node:assert/strict";
import { test } from "node:test";
import { withWordList, wordList } from "./list.ts";
import { wordRules } from "./rules.ts";
import { digest, findingsIn } from "./words.ts";

const phrases = (file: string, text: string): string[] =>
  findingsIn(file, text).map(({ line, phrase }) => `${line} ${phrase}`);

test("finds a phrase in comments, titles, messages and templates, with its line", () => {
  const text = [
    "// the provider's answer",
    "interface Shape {",
    "  /** Who is told. */",
    "  readonly name: string;",
    "}",
    'test("a film is billed once", () => {});',
    'log.warn({ id }, "publishing rests");',
    `const help = \`a command`,
    "that says what others feel`;",
  ].join("\n");
  assert.deepEqual(phrases("a.ts", text).sort(), ["1 answer", "3 told", "6 film", "7 rests", "9 feel"]);
});

test("ignores identifiers, paths, flags, strings without a blank, and text between backticks", () => {
  const text = [
    "const answer = told(answered);",
    'import { told } from "./answer.ts";',
    "// as `answer` in pictures/answer.png, --keep-answers and answer()",
    'const key = "answer";',
  ].join("\n");
  assert.deepEqual(phrases("a.ts", text), []);
});

test("reads prose in Markdown and every line of YAML, and no code in Markdown", () => {
  const page = ["An answer, and an `answer`.", "", "    an answer", "", "```", "an answer", "```"].join("\n");
  assert.deepEqual(phrases("a.md", page), ["1 answer"]);
  assert.deepEqual(phrases("a.yaml", "summary: Nobody is told"), ["1 told", "1 Nobody"]);
});

test("reads comments and quoted text in Protobuf, Python and TSX", () => {
  assert.deepEqual(phrases("a.proto", "  // The answer.\n  string answer = 1;"), ["1 answer"]);
  assert.deepEqual(phrases("a.py", 'answer = "an answer"  # told'), ["1 told", "1 answer"]);
  assert.deepEqual(phrases("a.tsx", '<p title="an answer">{answer}</p>'), ["1 answer"]);
});

test("a finding keeps its digest when its file or line changes, and changes it with its text", () => {
  const [first] = findingsIn("a.md", "An answer.");
  const [moved] = findingsIn("b.md", "\n\n  An answer.");
  const [other] = findingsIn("a.md", "Another answer.");
  assert.ok(first && moved && other);
  assert.equal(digest(first), digest(moved));
  assert.notEqual(digest(first), digest(other));
});

test("the word list replaces what is between its marks, and a page without them is an error", () => {
  const page = withWordList(
    "# A\n<!-- words: made by npm run check -- --fix -->\nformer list\n<!-- /words -->\nend",
    wordList(wordRules),
  );
  assert.match(page, /\| film \| video \|/);
  assert.doesNotMatch(page, /former/);
  assert.equal(withWordList(page, wordList(wordRules)), page);
  assert.throws(() => withWordList("# A", ""), /needs the marks/);
});
