import assert from "node:assert/strict";
import { test } from "node:test";
import type { Provider } from "@uag/catalog/types.ts";
import { scrub } from "./scrub.ts";

const provider = { apiKey: "my-secret-key", origin: "https://api.acme.test:8443", basePath: "/v1" } as Provider;

test("our key, our upstream's address and what looks like a credential are taken out; the rest stays", () => {
  const text = (value: string): string => scrub(value, provider);
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
