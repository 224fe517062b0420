import assert from "node:assert/strict";
import { test } from "node:test";
import { routes } from "@uag/contract/routes";
import { notOfferedText } from "./not-offered.ts";

const known: readonly [path: string, text: string][] = [
  ["/v1/edits", "This gateway does not offer OpenAI's endpoint for text edits. Use POST /v1/chat/completions."],
  ["/v1/fine_tuning/jobs/ftjob-1/events", "This gateway does not offer OpenAI's endpoint for fine-tuning."],
  ["/v1/skills/skill_1", "This gateway does not offer Anthropic's endpoint for skills."],
  [
    "/v1/responses/compact",
    "This gateway does not offer OpenAI's endpoint for compacted responses. Send the conversation's earlier messages with each request.",
  ],
];
for (const [path, text] of known)
  test(`the 404 of ${path} states that the endpoint is not offered`, () => assert.equal(notOfferedText(path), text));

test("a path of the gateway, or of no known API, is not reported as another API's", () => {
  const own = routes.map(({ path }) => path).filter((path) => !/^\/v1\/(?:videos|responses)\//.test(path));
  for (const path of ["/", "/v1", "/v1/", "/v1/none", "/v1/filesystem", "/v2/files", ...own])
    assert.equal(notOfferedText(path), undefined, path);
});
