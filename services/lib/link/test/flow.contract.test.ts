import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { test } from "node:test";
import { waitFor } from "@uag/harness/testing/wait-for";
import { insecure } from "@uag/runtime/rpc/identity";
import { createLinkClient } from "../src/client.ts";
import { dialGrpc } from "../src/grpc-client.ts";
import { highWaterBytes, windowBytes } from "../src/limits.ts";
import { ResponseStream } from "../src/response-stream.ts";
import type { LinkHandler } from "../src/server.ts";
import { aborted, call, echo, failure, request, Service, whole } from "./fixtures.ts";

const mib = 1024 * 1024;
const none = Buffer.alloc(0);

/** Streams `bytes` (given by the target), respecting backpressure, and counts what it wrote. */
function source(written: Map<string, number>): LinkHandler {
  return async (exchange) => {
    const bytes = Number(exchange.target);
    exchange.head(200, []);
    for (let sent = 0; sent < bytes; sent += 32 * 1024) {
      const more = exchange.write(Buffer.alloc(32 * 1024, "x"));
      written.set(exchange.requestId, sent + 32 * 1024);
      if (!more) await exchange.drained();
    }
    exchange.end();
  };
}

test("a client that never reads stalls only its own exchange, in bounded memory", async () => {
  const written = new Map<string, number>();
  await using service = await Service.start({ source: source(written) });
  const client = createLinkClient({ dial: dialGrpc(insecure, "chat"), targets: [service.address] });
  let stalledBytes = 0;
  const stalled = client.open(request("source", { requestId: "stalled", target: String(64 * mib), bodyless: true }), {
    onHead: () => {},
    onChunk: (chunk) => {
      stalledBytes += chunk.length;
    },
    onEnd: () => assert.fail("it cannot end"),
    onError: (error) => assert.equal(error.code, "cancelled"),
  });
  const readers = Array.from({ length: 100 }, (_, i) =>
    ResponseStream.open(client, request("source", { requestId: `${i}`, target: String(mib), bodyless: true })).bytes(),
  );
  for (const body of await Promise.all(readers)) assert.equal(body.length, mib);
  assert.equal(stalledBytes, windowBytes);
  assert.ok((written.get("stalled") ?? 0) <= windowBytes + highWaterBytes + 32 * 1024);
  stalled.cancel("enough");
  await waitFor(() => service.link.status().handlers === 0, { what: "the stalled handler to end" });
  await client.close();
});

test("a handler that never reads stalls only its own caller", async () => {
  await using service = await Service.start({ echo, deaf: (exchange) => aborted(exchange.signal) });
  const client = createLinkClient({ dial: dialGrpc(insecure, "chat"), targets: [service.address] });
  const deaf = ResponseStream.open(client, request("deaf"));
  let accepted = 0;
  while (deaf.call.writeBody(Buffer.alloc(32 * 1024))) {
    accepted += 32 * 1024;
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.ok(accepted <= windowBytes + highWaterBytes);
  const body = Buffer.alloc(mib, "y");
  const others = await Promise.all(Array.from({ length: 100 }, () => call(client, "echo", body)));
  for (const other of others) assert.ok(other.body.equals(body));
  deaf.call.cancel("enough");
  await deaf.call.bodyDrained();
  assert.equal((await failure(deaf.bytes())).code, "cancelled");
  await client.close();
});

test("transfers a body of many megabytes in both directions unchanged", async () => {
  const relay: LinkHandler = async (exchange) => {
    exchange.head(200, []);
    for await (const chunk of exchange.body()) if (!exchange.write(chunk)) await exchange.drained();
    exchange.end();
  };
  await using service = await Service.start({ relay });
  const client = createLinkClient({
    dial: dialGrpc(insecure, "chat"),
    targets: [service.address],
    streamsPerTarget: 2,
  });
  const bodies = Array.from({ length: 4 }, () => randomBytes(16 * mib));
  const hash = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");
  const responses = await Promise.all(bodies.map((body) => call(client, "relay", body)));
  assert.deepEqual(
    responses.map((response) => hash(response.body)),
    bodies.map(hash),
  );
  await client.close();
});

test("a handler receives the caller's whole request, and the caller the handler's head", async () => {
  const show: LinkHandler = async (exchange) => {
    const { operation, requestId, target, context, bodyless } = exchange;
    const seen = {
      operation,
      requestId,
      target,
      context: context.toString(),
      bodyless,
      body: "",
      a: exchange.header("a"),
    };
    seen.body = (await exchange.readBody(whole)).toString();
    exchange.respond(418, ["x-ü", "é"], Buffer.from(JSON.stringify({ ...seen, missing: exchange.header("b") })));
  };
  await using service = await Service.start({ show });
  const client = createLinkClient({ dial: dialGrpc(insecure, "chat"), targets: [service.address] });
  const opened = { requestId: "r1", target: "/v1/x?y=1", context: Buffer.from("ctx"), headers: ["a", "1", "a", "2"] };
  const response = await call(client, "show", Buffer.from("body"), opened);
  assert.deepEqual([response.status, response.headers], [418, ["x-ü", "é"]]);
  const { headers: _, ...rest } = opened;
  const wanted = { ...rest, operation: "show", context: "ctx", bodyless: false, body: "body", a: "1" };
  assert.deepEqual(JSON.parse(response.body.toString()), wanted);
  await client.close();
});

test("a peer that uses an operation's former name reaches its handler, which reads the current name", async () => {
  const operations: Record<string, LinkHandler> = {
    now: (exchange) => exchange.respond(200, [], Buffer.from(exchange.operation)),
  };
  const currentName = (operation: string) => (operation === "before" ? "now" : operation);
  await using service = await Service.start(operations, { currentName });
  const client = createLinkClient({ dial: dialGrpc(insecure, "chat"), targets: [service.address] });
  for (const name of ["before", "now"]) assert.equal((await call(client, name, none)).body.toString(), "now");
  await client.close();
});

test("a body over the limit, a failing handler and an unknown operation fail with different errors", async () => {
  const logged: string[] = [];
  await using service = await Service.start(
    {
      small: async (exchange) => {
        const error = await failure(exchange.readBody({ maxBytes: 10 }));
        exchange.respond(413, [], Buffer.from(error.code));
      },
      crash: () => Promise.reject(new Error("oh")),
      crash_at_once: () => {
        throw new Error("oh");
      },
      forget: () => Promise.resolve(),
      refuse: (exchange) => exchange.fail("upstream_gone"),
    },
    { log: (event) => logged.push(event) },
  );
  const client = createLinkClient({ dial: dialGrpc(insecure, "chat"), targets: [service.address] });
  const small = await call(client, "small", Buffer.alloc(mib));
  assert.deepEqual([small.status, small.body.toString()], [413, "too_large"]);
  const reasons: string[] = [];
  for (const operation of ["crash", "crash_at_once", "forget", "refuse", "unknown"]) {
    const error = await failure(call(client, operation, none));
    assert.equal(error.code, "failed");
    reasons.push(error.reason);
  }
  assert.deepEqual(reasons, ["internal", "internal", "internal", "upstream_gone", "unknown_operation"]);
  assert.deepEqual(
    logged,
    Array.from({ length: 3 }, () => "link.handler_failed"),
  );
  await client.close();
});
