import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { snippetsOf } from "./snippets.ts";

const hostile = `m'"$(touch x)\`id\`; \\ && ?`;
const url = "https://gateway.example/a b";

/** The words that a POSIX shell makes of a command line. */
function wordsOf(line: string, command: string): string[] {
  const script = `${command}() { for word; do printf '%s\\0' "$word"; done; }\n${line}`;
  return execFileSync("/bin/sh", ["-c", script], { encoding: "utf8" }).split("\0").slice(0, -1);
}

test("shell samples pass a model's name and the URL unchanged", () => {
  const { curl, google_curl, codex, gemini_cli, mcp, claude_code } = snippetsOf(url, "sk-key", [hostile]);
  const sent = wordsOf(curl, "curl");
  assert.equal(sent[0], `${url}/v1/chat/completions`);
  assert.equal(JSON.parse(sent.at(-1) ?? "").model, hostile);
  const [generate = ""] = wordsOf(google_curl, "curl");
  assert.equal(decodeURIComponent(generate), `${url}/v1beta/models/${hostile}:generateContent`);
  assert.deepEqual(wordsOf(`${gemini_cli} "$GOOGLE_GEMINI_BASE_URL"`, "gemini").slice(0, 2), ["--model", hostile]);
  assert.ok(wordsOf(codex, "codex").includes(`model=${JSON.stringify(hostile)}`));
  assert.ok(wordsOf(mcp, "claude").includes(`${url}/mcp`));
  assert.deepEqual(wordsOf(`${claude_code} "$ANTHROPIC_BASE_URL"`, "claude").length, 1);
});

test("JavaScript and Python samples quote a model's name unchanged", () => {
  const { openai_javascript, openai_python, google_javascript, google_python } = snippetsOf(url, "sk-key", [hostile]);
  const literal = JSON.stringify(hostile);
  assert.ok(openai_javascript.includes(`model: ${literal},`));
  assert.ok(google_javascript.includes(`model: ${literal},`));
  assert.ok(google_python.includes(`model=${literal},`));
  const python = `print(${literal}, end="")`;
  assert.ok(openai_python.includes(`model=${literal},`));
  assert.equal(execFileSync("python3", ["-c", python], { encoding: "utf8" }), hostile);
});
