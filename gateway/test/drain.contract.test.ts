import assert from "node:assert/strict";
import { test } from "node:test";
import { waitFor } from "@uag/harness/testing/wait-for";
import { rawClient } from "./support/raw-client.ts";
import { startStage } from "./support/stage.ts";

test("a stopping router finishes its responses, accepts no connections, and exits", async () => {
  await using stage = await startStage({ DRAIN_MS: "60000" });
  stage.service.handler = (exchange) => {
    exchange.head(200, ["content-type", "text/event-stream"]);
    exchange.write(Buffer.from("data: 1\n\n"));
    return new Promise((resolve) => exchange.signal.addEventListener("abort", () => resolve()));
  };
  using client = await rawClient(stage.gateway.port);
  client.send(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${stage.key}\r\ncontent-length: 2\r\n\r\n{}`,
  );
  await client.until("data: 1");
  let gone = false;
  const closing = stage.gateway[Symbol.asyncDispose]().then(() => {
    gone = true;
  });
  await waitFor(async () => (await fetch(`http://127.0.0.1:${stage.gateway.adminPort}/health/ready`)).status === 503);
  await assert.rejects(fetch(`http://127.0.0.1:${stage.gateway.port}/`));
  assert.equal(gone, false);
  const exchange = stage.service.seen[0];
  exchange?.write(Buffer.from("data: 2\n\n"));
  exchange?.end();
  const text = await client.untilClosed();
  assert.match(text, /data: 2\n\n\r\n0\r\n\r\n$/);
  await closing;
});

test("a response that outlasts the drain is aborted, at the service too", async () => {
  await using stage = await startStage({ DRAIN_MS: "300" });
  stage.service.handler = () => new Promise(() => undefined);
  const response = stage.chat();
  await waitFor(() => stage.service.seen.length === 1);
  await Promise.all([assert.rejects(response), stage.gateway[Symbol.asyncDispose]()]);
  await waitFor(() => stage.service.seen[0]?.over === true);
});
