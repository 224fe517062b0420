import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { type TestContext, test } from "node:test";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { type ErrorCode, errorTable } from "@uag/contract/errors/table";
import { capturedLog } from "@uag/harness/testing/captured-log";
import { keyringOf } from "@uag/runtime/keyring";
import type { ObjectStore } from "@uag/runtime/objects/store";
import { startAssetServer } from "./server.ts";
import { AssetTokens } from "./token.ts";

const tokens = new AssetTokens(keyringOf("0123456789abcdef0123456789abcdef"));

/** A server of files from a store, and the URL of one. */
async function stage(t: TestContext, find: ObjectStore["find"]) {
  const { log, lines } = capturedLog();
  const store = { find } as ObjectStore;
  const server = await startAssetServer({ host: "127.0.0.1", port: 0, store, tokens, log, lingerMs: 0 });
  t.after(() => server[Symbol.asyncDispose]());
  const { token } = tokens.issue(Date.now() + 60_000);
  return { url: `http://127.0.0.1:${server.port}/assets/${token}`, lines };
}

test("logs one line with the cause for each error with which the store of files fails", async (t) => {
  let code: ErrorCode = "internal_error";
  const { url, lines } = await stage(t, async () => {
    throw new GatewayError(code, `the store reports ${code}`);
  });
  const expected: unknown[] = [];
  for (code of Object.keys(errorTable) as ErrorCode[]) {
    assert.equal((await fetch(url, { headers: { "x-request-id": code } })).status, 503);
    expected.push([code, "service_unavailable", 503, `the store reports ${code}`]);
  }
  const logged = lines.map(({ request_id, code, status, err }) => [request_id, code, status, (err as Error).message]);
  assert.deepEqual(logged, expected);
});

test("logs one line with the cause when a file cannot be read to its end", async (t) => {
  const { url, lines } = await stage(t, async () => ({
    contentType: "image/png",
    size: 10,
    read: async () =>
      Readable.from(
        (async function* () {
          yield Buffer.from("half");
          throw new Error("the disk failed");
        })(),
      ),
  }));
  await assert.rejects(async () => await (await fetch(url)).arrayBuffer());
  assert.deepEqual(
    lines.map(({ err }) => (err as Error).message),
    ["the disk failed"],
  );
});

test("requests for files that do not exist leave no line in the log", async (t) => {
  const { url, lines } = await stage(t, async () => undefined);
  for (const path of [url, `${url}x`]) assert.equal((await fetch(path)).status, 404);
  assert.deepEqual(lines, []);
});
