import assert from "node:assert/strict";
import { test } from "node:test";
import type { Provider } from "@uag/catalog/types";
import { redact } from "./redact.ts";

const provider = { apiKey: "my-secret-key", origin: "https://api.acme.test:8443", basePath: "/v1" } as Provider;

test("removes our key, the upstream's address and anything that looks like a credential, and keeps other text", () => {
  const text = (value: string): string => redact(value, provider);
  assert.equal(text("bad key my-secret-key."), "bad key [redacted].");
  assert.equal(text("at https://api.acme.test:8443/v1/chat"), "at [upstream]/chat");
  assert.equal(text("api.acme.test:8443 refused; ask api.acme.test"), "[upstream] refused; ask [upstream]");
  assert.equal(
    text("Incorrect API key provided: sk-proj-****************abcd."),
    "Incorrect API key provided: [redacted]",
  );
  assert.equal(text("for org-AbCdEfGhIjKlMn0p in proj_AbCdEfGhIjKlMn0p"), "for [redacted] in [redacted]");
  assert.equal(text("key=AIzaSyA1234567890abcdefghij"), "key=[redacted]");
  assert.equal(text("see http://10.0.0.7:9000/x?y=1 now"), "see [upstream] now");
  assert.equal(
    text("Supported values are: 'low', 'medium', and 'high'."),
    "Supported values are: 'low', 'medium', and 'high'.",
  );
  assert.equal(text("API key authentication failed, org-wide"), "API key authentication failed, org-wide");
  assert.equal(text("a task-based reply about sketches"), "a task-based reply about sketches");
  assert.equal(text("x".repeat(10_000)).length, 4_001);
});

const keys = {
  openai: "sk-proj-Ab3dEfGhIjKlMnOpQrStUvWxYz0123456789_abcdefghijklmnopqrstuvwxyz-ABCDEFG",
  anthropic: "sk-ant-api03-q9WzX_abcdefghijklmnopqrstuvwxyz0123456789-ABCDEFGHIJKLMNOP-xyzAAA",
  gemini: "AIzaSyA-1234567890abcdefghijklmnopqrstu",
  dashscope: "sk-0123456789abcdef0123456789abcdef",
  voyage: "pa-AbCdEfGhIjKlMnOpQr1StUvWxYz0123456789abcdefg",
  xai: "xai-AbCdEfGhIjKl7MnOpQrStUvWxYz0123456789AbCdEfGhIjKlMnOpQrStUvWx",
  ark: "0b7c9f8e-1d2c-4a3b-9c8d-7e6f5a4b3c2d",
  custom: "p4ss/w0rd+with==every:sign",
};

/** Eight consecutive characters of a key are too many. */
function leaks(text: string, key: string): boolean {
  return Array.from({ length: key.length - 7 }, (_, at) => key.slice(at, at + 8)).some((part) => text.includes(part));
}

for (const [name, key] of Object.entries(keys)) {
  test(`removes every part of a key like ${name}'s, wherever the text is cut and however often it occurs`, () => {
    const ours = { ...provider, apiKey: key } as Provider;
    const theirs = name === "ark" || name === "custom" ? [] : [provider];
    for (let at = 3_900; at <= 4_010; at++) {
      const text = `${" ".repeat(at)}${key} is not a key. ${"x ".repeat(2_000)}${key}`;
      for (const one of [ours, ...theirs]) assert.ok(!leaks(redact(text, one), key), `at ${at}`);
    }
    for (let between = 0; between < 60; between++) {
      const text = `Bearer ${key}${" ".repeat(between + 1)}`.repeat(200);
      for (const one of [ours, ...theirs]) assert.ok(!leaks(redact(text, one), key), `${between} between`);
    }
    assert.ok(!leaks(redact(`key ${key}`, ours), key));
  });
}

test("removes our configured headers like our key", () => {
  const withHeader = { ...provider, headers: ["api-key", "0123456789-secret-value", "x-team", "blue"] } as Provider;
  assert.equal(redact("0123456789-secret-value of team blue", withHeader), "[redacted] of team blue");
});
