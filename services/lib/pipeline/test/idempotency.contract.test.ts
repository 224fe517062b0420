import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createLinkClient, type LinkClient } from "@uag/link/client";
import { dialGrpc } from "@uag/link/grpc-client";
import { ResponseStream } from "@uag/link/response-stream";
import { createLinkServer, type LinkHandler } from "@uag/link/server";
import { Caller } from "@uag/proto/common/v1/caller.ts";
import { newId } from "@uag/runtime/ids";
import { createLogger } from "@uag/runtime/log";
import { createMetrics } from "@uag/runtime/metrics";
import { insecure } from "@uag/runtime/rpc/identity";
import { BufferBudget } from "@uag/untrusted/buffer-budget";
import { createConnection } from "mongoose";
import { AboveHold } from "../src/above-hold.ts";
import { createEvents } from "../src/events.ts";
import { withIdempotency } from "../src/idempotency/idempotency.ts";
import { Runs } from "../src/idempotency/runs.ts";
import { IdempotencyStore } from "../src/idempotency/store.ts";
import { openLinkListener } from "../src/link-listener.ts";
import { nestedErrors } from "../src/nested-error.ts";
import { lapseRuns, testBox } from "./once-backend.ts";

const url = process.env["TEST_MONGODB_URL"] ?? "";
const log = createLogger({ service: "idempotency-test", level: "silent" });
const leaseMs = 2_000;
/** Often, so that what is renewed has most of its lease left at any time. */
const renewMs = 100;
const lifeMs = 60_000;
const mebibyte = 1024 * 1024;

interface KeyedCall {
  readonly key?: string;
  readonly body?: string | Buffer;
  readonly account?: string;
  readonly keyId?: string;
  readonly contentType?: string;
}

interface ReceivedResponse {
  readonly status: number;
  readonly text: string;
  header(name: string): string | undefined;
}

describe("under an Idempotency-Key a request runs once", () => {
  const resources = new AsyncDisposableStack();
  const database = `test_${newId("idem").replaceAll(/[^A-Za-z0-9]/g, "")}`;
  let handler: LinkHandler;
  let runs = 0;
  let client: LinkClient;
  const buffers = new BufferBudget({ totalBytes: 96 * mebibyte, ownerBytes: 48 * mebibyte });

  before(async () => {
    if (url === "") throw new Error('Set TEST_MONGODB_URL to a running replica set, or run "npm test".');
    resources.defer(async () => {
      const connection = await createConnection(url, { dbName: database }).asPromise();
      await connection.dropDatabase();
      await connection.close();
    });
    const store = resources.use(new IdempotencyStore({ url, database, leaseMs, lifeMs, box: testBox }));
    const events = createEvents(log, createMetrics("test"), new AboveHold());
    const run: LinkHandler = (exchange) => {
      runs++;
      return handler(exchange);
    };
    const admitFree = async () => ({ headers: [], [Symbol.dispose]: () => {} });
    const runsNow = resources.use(new Runs());
    const once = {
      store,
      runs: runsNow,
      findBill: async () => undefined,
      admitFree,
      catalog: { current: { models: new Map() } },
      events,
      log,
      buffers,
      renewMs,
    };
    const operation = { handler: run, errorFormat: async () => nestedErrors };
    const names = ["images.edits", "images.generations", "videos.generations"];
    const operations = withIdempotency(Object.fromEntries(names.map((name) => [name, operation])), once);
    const link = createLinkServer({ operations });
    const listener = resources.use(
      await openLinkListener({ identity: insecure, link, host: "127.0.0.1", port: 0, drainMs: 500 }),
    );
    client = createLinkClient({ dial: dialGrpc(insecure, "chat"), targets: [`127.0.0.1:${listener.port}`] });
    resources.defer(() => client.close({ timeoutMs: 100 }));
    await client.ready();
  });
  after(() => resources.disposeAsync());

  const open = (operation: string, request: KeyedCall) => {
    const { key, body = "{}", account = "acct", keyId = "key", contentType = "application/json" } = request;
    const caller = Caller.fromPartial({ accountId: account, keyId });
    const headers = ["content-type", contentType, ...(key === undefined ? [] : ["idempotency-key", key])];
    const context = Buffer.from(Caller.encode(caller).finish());
    const call = { operation, requestId: newId("req"), target: "/v1/x", headers, context, bodyless: false };
    return ResponseStream.open(client, call, Buffer.from(body));
  };
  const call = async (operation: string, from: KeyedCall): Promise<ReceivedResponse> => {
    const stream = open(operation, from);
    const { status, headers } = await stream.head;
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    const header = (name: string) => (headers.includes(name) ? headers[headers.indexOf(name) + 1] : undefined);
    return { status, text: Buffer.concat(chunks).toString("latin1"), header };
  };
  const counting = async (work: () => Promise<void>): Promise<number> => {
    const before = runs;
    await work();
    return runs - before;
  };
  const respond = (status: number, text: string): LinkHandler => {
    return (exchange) => exchange.respond(status, ["content-type", "text/plain", "x-more", "1"], Buffer.from(text));
  };

  test("a process whose clock is an hour off neither takes over a live run nor loses its own", async (t) => {
    await using store = new IdempotencyStore({ url, database, leaseMs: 60_000, lifeMs, box: testBox });
    const claim = async (id: string): Promise<string> => {
      const token = newId("req");
      return (await store.claim(id, { bodyDigest: "$digest", requestId: token, token })).kind;
    };
    for (const offsetMs of [3_600_000, -3_600_000]) {
      const [right, wrong] = [newId("idem"), newId("idem")];
      assert.equal(await claim(right), "mine");
      t.mock.timers.enable({ apis: ["Date"], now: Date.now() + offsetMs });
      assert.deepEqual([await claim(right), await claim(wrong)], ["running", "mine"]);
      t.mock.timers.reset();
      assert.equal(await claim(wrong), "running");
    }
  });

  test("a retry finds the record that a release stored under an operation's former name", async () => {
    await using store = new IdempotencyStore({ url, database, leaseMs: 60_000, lifeMs, box: testBox });
    const id = createHash("sha256").update("acct\nkey\nvideos.create\nrenamed").digest("base64url");
    await store.claim(id, { bodyDigest: "$another", requestId: newId("req"), token: "token" });
    const ran = await counting(async () => {
      const retried = await call("videos.generations", { key: "renamed" });
      assert.match(retried.text, /idempotency_key_reuse/);
    });
    assert.equal(ran, 0);
  });

  test("a key belongs to one account, one API key, one operation and one body", async () => {
    handler = respond(200, "ok");
    const ran = await counting(async () => {
      await call("images.edits", { key: "scope" });
      await call("images.generations", { key: "scope" });
      await call("images.edits", { key: "scope", account: "other" });
      await call("images.edits", { key: "scope", keyId: "other" });
      const reused = await call("images.edits", { key: "scope", body: '{"other":1}' });
      assert.equal(reused.status, 422);
      assert.match(reused.text, /idempotency_key_reuse/);
    });
    assert.equal(ran, 4);
  });

  test("treats a form that is sent again with another boundary as the same form", async () => {
    handler = respond(200, "ok");
    const form = (boundary: string, value: string): KeyedCall => ({
      key: "form",
      contentType: `multipart/form-data; boundary=${boundary}`,
      body: `--${boundary}\r\ncontent-disposition: form-data; name="a"\r\n\r\n${value}\r\n--${boundary}--\r\n`,
    });
    await call("images.edits", form("aaaa", "x"));
    assert.equal((await call("images.edits", form("bbbb", "x"))).header("idempotent-replayed"), "true");
    assert.equal((await call("images.edits", form("cccc", "y"))).status, 422);
  });

  test("digests 40 MiB made of the boundary's letters without blocking other requests", async () => {
    handler = respond(200, "ok");
    const letters = Buffer.alloc(40 * mebibyte, "a");
    let maxUs = 0;
    let last = process.threadCpuUsage();
    // Measured in CPU time, because a busy machine delays everything.
    const ticks = setInterval(() => {
      const { user, system } = process.threadCpuUsage(last);
      last = process.threadCpuUsage();
      maxUs = Math.max(maxUs, user + system);
    }, 5);
    const heapBefore = process.memoryUsage().heapUsed;
    const result = await call("images.edits", {
      key: "letters",
      body: letters,
      contentType: "multipart/form-data; boundary=a",
    });
    clearInterval(ticks);
    assert.equal(result.text, "ok");
    assert.ok(process.memoryUsage().heapUsed - heapBefore < 100 * mebibyte);
    assert.ok(maxUs < 500_000, `others waited ${maxUs} us`);
    assert.equal(buffers.held, 0);
  });

  test("accounts for a body before it is kept, and rejects one that exceeds its account's share of memory with a retryable error", async () => {
    handler = respond(200, "ok");
    const body = Buffer.alloc(49 * mebibyte, "a");
    const ran = await counting(async () => {
      const refused = await call("images.edits", { key: "counted", body });
      assert.equal(refused.status, 503);
      assert.ok(Number(refused.header("retry-after")) >= 1);
    });
    assert.equal(ran, 0);
    assert.equal(buffers.held, 0);
  });

  test("responds 409 while the first request runs, even if it takes longer than the lease", async () => {
    const gate = Promise.withResolvers<void>();
    handler = async (exchange) => {
      await gate.promise;
      await respond(200, "late")(exchange);
    };
    const first = call("images.edits", { key: "slow" });
    await sleep(leaseMs * 1.25);
    const second = await call("images.edits", { key: "slow" });
    assert.equal(second.status, 409);
    assert.match(second.text, /idempotency_in_progress/);
    assert.ok(Number(second.header("retry-after")) >= 1);
    gate.resolve();
    assert.equal((await first).text, "late");
    assert.equal((await call("images.edits", { key: "slow" })).text, "late");
  });

  for (const status of [429, 500, 502, 503, 402]) {
    test(`does not store a response with status ${status}: the next request runs`, async () => {
      const key = `again-${status}`;
      handler = respond(status, "no");
      await call("images.edits", { key });
      handler = respond(200, "yes");
      assert.equal((await call("images.edits", { key })).text, "yes");
    });
  }

  test("stores a rejection like any other response, and replays it with its status and headers", async () => {
    handler = respond(400, "bad");
    await call("images.edits", { key: "bad" });
    handler = respond(200, "good");
    const again = await call("images.edits", { key: "bad" });
    assert.deepEqual([again.status, again.text, again.header("x-more")], [400, "bad", "1"]);
  });

  test("replays a stream byte for byte, and does not store one that broke", async () => {
    const pieces = ["data: 1\n\n", "data: 2\n\n", "data: [DONE]\n\n"];
    handler = async (exchange) => {
      exchange.head(200, ["content-type", "text/event-stream"]);
      for (const piece of pieces) {
        exchange.write(Buffer.from(piece));
        await sleep(5);
      }
      exchange.end();
    };
    await call("images.edits", { key: "stream" });
    const again = await call("images.edits", { key: "stream" });
    assert.deepEqual([again.text, again.header("content-type")], [pieces.join(""), "text/event-stream"]);
    handler = async (exchange) => {
      exchange.head(200, []);
      exchange.fail("upstream_error");
    };
    await assert.rejects(call("images.edits", { key: "broken" }));
    handler = respond(200, "whole");
    assert.equal((await call("images.edits", { key: "broken" })).text, "whole");
  });

  test("stores large responses too", async () => {
    const large = Buffer.alloc(3 * 1024 * 1024 + 17, "ä");
    handler = (exchange) => exchange.respond(200, [], large);
    await call("images.edits", { key: "large" });
    const again = await call("images.edits", { key: "large" });
    assert.equal(again.header("idempotent-replayed"), "true");
    assert.ok(Buffer.from(again.text, "latin1").equals(large));
  });

  test("a client that disconnects gets the response when it retries", async () => {
    const gate = Promise.withResolvers<void>();
    let aborted = false;
    handler = async (exchange) => {
      exchange.head(200, []);
      exchange.write(Buffer.from("one "));
      await gate.promise;
      aborted = exchange.signal.aborted || exchange.over;
      exchange.write(Buffer.from("two"));
      exchange.end();
    };
    const stream = open("images.edits", { key: "leaves" });
    await stream.head;
    stream.call.cancel("the client disconnected");
    gate.resolve();
    for (;;) {
      const again = await call("images.edits", { key: "leaves" });
      if (again.status !== 409) {
        assert.equal(again.text, "one two");
        break;
      }
      await sleep(20);
    }
    assert.equal(aborted, false);
  });

  test("a run whose process died before its upstream call can run again after its lease", async () => {
    await using store = new IdempotencyStore({ url, database, leaseMs: 60_000, lifeMs, box: testBox });
    const claim = async (token: string) =>
      (await store.claim("dead", { bodyDigest: "body", requestId: token, token })).kind;
    assert.equal(await claim("first"), "mine");
    assert.equal(await claim("second"), "running");
    await lapseRuns({ url, database });
    assert.equal(await claim("second"), "mine");
    assert.equal(await store.start("dead", "first", "m"), false, "a run that lost its key may not call an upstream");
    await store.keep("dead", "first", { status: 200, headers: [], body: [Buffer.from("late")] });
    assert.equal(await claim("third"), "running");
  });

  test("rejects an empty key and one above 255 characters", async () => {
    handler = respond(200, "ok");
    assert.equal((await call("images.edits", { key: "k".repeat(256) })).status, 400);
    assert.equal((await call("images.edits", { key: "" })).status, 400);
    assert.equal((await call("images.edits", { key: "k".repeat(255) })).status, 200);
  });
});
