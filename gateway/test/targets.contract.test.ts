import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { echo } from "./support/fake-service.ts";
import { rawClient } from "./support/raw-client.ts";
import { type Stage, startStage } from "./support/stage.ts";

let stage: Stage;
before(async () => {
  stage = await startStage();
  stage.service.handler = echo;
});
after(() => stage[Symbol.asyncDispose]());

async function get(target: string): Promise<string> {
  using client = await rawClient(stage.gateway.port);
  const head = `GET ${target} HTTP/1.1\r\nhost: gateway\r\nauthorization: Bearer ${stage.key}\r\nconnection: close\r\n\r\n`;
  client.send(head);
  return await client.untilClosed();
}

test("rejects a target with a fragment before any other check", async () => {
  for (const target of ["/v1/models#", "/v1/models?limit=1#&limit=2", "/console/#/../admin/v1/keys", "/#"]) {
    const text = await get(target);
    assert.match(text, /^HTTP\/1\.1 400 /, target);
    assert.match(text, /Remove it, or encode # as %23/, target);
  }
});

test("forwards a target in absolute form as the same target in origin form", async () => {
  for (const [target, expected] of [
    ["http://gateway/v1/models?limit=1", "/v1/models?limit=1"],
    ["HTTP://user@other:80/v1/models/m", "/v1/models/m"],
  ] as const) {
    const text = await get(target);
    assert.match(text, /^HTTP\/1\.1 200 /, target);
    assert.equal(JSON.parse(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1)).target, expected);
  }
  assert.match(await get("http://gateway?x"), /^HTTP\/1\.1 200 /);
});
