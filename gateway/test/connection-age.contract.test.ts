import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { rawClient } from "./support/raw-client.ts";
import { type Stage, startStage } from "./support/stage.ts";

const behind = createServer((_request, response) => response.end("from behind"));
let stage: Stage;
before(async () => {
  behind.listen(0, "127.0.0.1");
  await once(behind, "listening");
  const url = `http://127.0.0.1:${(behind.address() as AddressInfo).port}`;
  stage = await startStage({ MCP_URL: url, CONSOLE_URL: url, CONNECTION_MAX_AGE_MS: "1" });
  stage.service.handler = async (exchange) => {
    exchange.head(200, ["content-type", "text/event-stream"]);
    exchange.write(Buffer.from("data: 1\n\n"));
    await untilOld();
    exchange.write(Buffer.from("data: [DONE]\n\n"));
    exchange.end();
  };
});
after(async () => {
  await stage[Symbol.asyncDispose]();
  behind.closeAllConnections();
  behind.close();
});

const untilOld = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

const heads: Readonly<Record<string, readonly [head: () => string, end: RegExp]>> = {
  stream: [
    () => `POST /v1/chat/completions HTTP/1.1\r\nauthorization: Bearer ${stage.key}\r\ncontent-length: 2`,
    /data: \[DONE\]\n\n\r\n0\r\n\r\n$/,
  ],
  "request that waits for 100-continue": [
    () =>
      `POST /v1/chat/completions HTTP/1.1\r\nauthorization: Bearer ${stage.key}\r\ncontent-length: 2\r\nexpect: 100-continue`,
    /data: \[DONE\]\n\n\r\n0\r\n\r\n$/,
  ],
  refusal: [() => "POST /v1/chat/completions HTTP/1.1\r\ncontent-length: 2", /\}$/],
  "response of /mcp": [() => "POST /mcp HTTP/1.1\r\nconnection: keep-alive\r\ncontent-length: 2", /from behind/],
  "response of /console": [
    () => "POST /console/ HTTP/1.1\r\nconnection: keep-alive\r\ncontent-length: 2",
    /from behind/,
  ],
};

for (const [name, [head, end]] of Object.entries(heads)) {
  test(`on a connection over its age a ${name} is complete, has connection: close, and closes it`, async () => {
    using client = await rawClient(stage.gateway.port);
    await untilOld();
    client.send(`${head()}\r\nhost: a\r\n\r\n{}`);
    const text = await client.untilClosed();
    assert.match(text, /\r\nconnection: close\r\n/i);
    assert.match(text, end);
    assert.equal(client.failure, undefined);
  });
}
