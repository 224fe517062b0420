import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { onClientError } from "./client-error.ts";

/**
 * The response to a client that sends this part of a request and waits until the connection is
 * closed.
 */
async function responseTo(reported: string): Promise<string> {
  const server = createServer({ headersTimeout: 50, requestTimeout: 0, connectionsCheckingInterval: 20 }, () =>
    assert.fail("no request is whole"),
  );
  server.on("clientError", onClientError);
  await once(server.listen(0, "127.0.0.1"), "listening");
  try {
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    socket.write(reported);
    return await text(socket);
  } finally {
    server.close();
  }
}

test("an idle connection is closed without a response, which a pooled client could attribute to another request", async () => {
  assert.equal(await responseTo(""), "");
});

test("headers that do not arrive in time get a retryable 408", async () => {
  const response = await responseTo("POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\n");
  assert.match(response, /^HTTP\/1\.1 408 /);
  assert.match(response, /\r\nx-should-retry: true\r\n/);
  assert.match(response, /"code":"request_timeout"/);
});

test("input that is not HTTP gets a non-retryable 400", async () => {
  const response = await responseTo("no http at all\r\n\r\n");
  assert.match(response, /^HTTP\/1\.1 400 /);
  assert.match(response, /\r\nx-should-retry: false\r\n/);
});
