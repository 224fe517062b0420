import assert from "node:assert/strict";
import { test } from "node:test";
import { Random, seeds } from "@uag/harness/testing/seeded-random";
import { type Frame, FrameBatch } from "@uag/proto/link/v1/link.ts";
import type { LinkCall } from "./call.ts";
import { createLinkClient, type LinkClient } from "./client.ts";
import type { LinkError } from "./errors.ts";
import { windowBytes } from "./limits.ts";
import { createLinkServer, type LinkServer } from "./server.ts";
import type { Transport, TransportEvents } from "./transport.ts";

type Kind = NonNullable<Frame["kind"]>;

function encode(...frames: [number, Kind][]): Buffer {
  return Buffer.from(
    FrameBatch.encode({ frames: frames.map(([exchange, kind]) => ({ exchange, kind })) as Frame[] }).finish(),
  );
}

function open(operation: string, bodyless = false): Kind {
  const value = {
    operation,
    requestId: "r",
    target: "/",
    headers: [],
    context: Buffer.alloc(0),
    deadlineMs: 0,
    bodyless,
  };
  return { $case: "open", value };
}

const body = (bytes: number): Kind => ({ $case: "body", value: Buffer.alloc(bytes) });
const chunk = (bytes: number): Kind => ({ $case: "chunk", value: Buffer.alloc(bytes) });
const end: Kind = { $case: "end", value: {} };
const head: Kind = { $case: "head", value: { status: 200, headers: [] } };
const trailer = (errorCode = ""): Kind => ({ $case: "trailer", value: { errorCode } });
const credit = (bytes: number): Kind => ({ $case: "credit", value: { bytes } });
const cancel = (refused = false): Kind => ({ $case: "cancel", value: { reason: "x", refused } });
const drain: Kind = { $case: "drain", value: {} };

/** Long enough for a handler to respond and for its response to be sent. */
async function turn(): Promise<void> {
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
}

/** The far end of a link, controlled by the test: it sends anything. */
class Peer implements Transport {
  readonly sent: Frame[] = [];
  readonly events: TransportEvents;
  destroyed: string | undefined;
  ended = false;

  constructor(events: TransportEvents) {
    this.events = events;
  }
  write(batch: Buffer): boolean {
    this.sent.push(...FrameBatch.decode(batch).frames);
    return true;
  }
  end(): void {
    this.ended = true;
  }
  destroy(reason: string): void {
    this.destroyed = reason;
    this.events.onClosed(reason);
  }
}

function serve(): { server: LinkServer; connect: () => Peer } {
  const server = createLinkServer({
    operations: {
      read: async (exchange) => exchange.respond(200, [], await exchange.readBody({ maxBytes: 1 << 20 })),
      hold: async (exchange) => void (await new Promise((_, reject) => onAbort(exchange.signal, reject))),
    },
  });
  const connect = (): Peer => {
    let peer: Peer | undefined;
    server.accept((events) => {
      peer = new Peer(events);
      return peer;
    });
    return peer as Peer;
  };
  return { server, connect };
}

function onAbort(signal: AbortSignal, reject: (error: unknown) => void): void {
  signal.addEventListener("abort", () => reject(signal.reason));
}

async function connectClient(): Promise<{ client: LinkClient; peers: Peer[] }> {
  const peers: Peer[] = [];
  const client = createLinkClient({
    targets: () => Promise.resolve(["a:1"]),
    dial: (_address, events) => {
      const peer = new Peer(events);
      peers.push(peer);
      queueMicrotask(() => events.onReady());
      return peer;
    },
  });
  await client.ready();
  return { client, peers };
}

class ReceivedResponse {
  readonly events: string[] = [];
  error: LinkError | undefined;
  onHead(): void {
    this.events.push("head");
  }
  onChunk(): void {
    this.events.push("chunk");
  }
  onEnd(): void {
    this.events.push("end");
  }
  onError(error: LinkError): void {
    this.events.push("error");
    this.error = error;
  }
}

function openCall(client: LinkClient, response: ReceivedResponse): LinkCall {
  const call = client.open(
    { operation: "o", requestId: "r", target: "/", headers: [], context: Buffer.alloc(0) },
    response,
  );
  call.writeBody(Buffer.alloc(10));
  return call;
}

const againstServer: Record<string, Buffer[]> = {
  "an exchange opened twice": [encode([1, open("hold")]), encode([1, open("hold")])],
  "an id lower than one used before": [encode([7, open("hold")]), encode([3, open("hold")])],
  "exchange 0 opened": [encode([0, open("hold")])],
  "a body for an exchange never opened": [encode([1, open("hold")], [2, body(1)])],
  "a body after its end": [encode([1, open("hold")], [1, end], [1, body(1)])],
  "a body for a bodyless exchange": [encode([1, open("hold", true)], [1, body(1)])],
  "two ends": [encode([1, open("hold")], [1, end], [1, end])],
  "a body beyond its window": [
    encode([1, open("hold")], ...Array.from({ length: 5 }, (): [number, Kind] => [1, body(65_536)])),
  ],
  "credit beyond the window": [encode([1, open("hold")], [1, credit(1)])],
  "an overflow of credit": [encode([1, open("hold")], [1, credit(2 ** 32 - 1)])],
  "a head": [encode([1, open("hold")], [1, head])],
  "a chunk": [encode([1, open("hold")], [1, chunk(1)])],
  "a trailer": [encode([1, open("hold")], [1, trailer()])],
  "a drain": [encode([0, drain])],
  "bytes that are not a batch": [Buffer.from("GET / HTTP/1.1\r\n\r\n")],
};

for (const [what, batches] of Object.entries(againstServer)) {
  test(`a calling end that sends ${what} loses its link, and no other link breaks`, async () => {
    const { server, connect } = serve();
    const [bad, good] = [connect(), connect()];
    good.events.onBatch(encode([1, open("read")], [1, body(5)]));
    for (const batch of batches) bad.events.onBatch(batch);
    await turn();
    assert.match(bad.destroyed ?? "", /^link protocol: /);
    good.events.onBatch(encode([1, end]));
    await turn();
    assert.deepEqual(
      good.sent.map((frame) => frame.kind?.$case),
      ["head", "chunk", "trailer"],
    );
    assert.deepEqual(server.status(), { links: 1, exchanges: 0, handlers: 0, draining: false });
  });
}

test("ignores late frames of an exchange that is over", async () => {
  const { server, connect } = serve();
  const peer = connect();
  peer.events.onBatch(
    encode([1, open("hold")], [1, cancel()], [1, body(5)], [1, credit(2 ** 32 - 1)], [1, end], [1, cancel()]),
  );
  await turn();
  assert.equal(peer.destroyed, undefined);
  assert.deepEqual(server.status(), { links: 1, exchanges: 0, handlers: 0, draining: false });
});

const againstClient: Record<string, Buffer> = {
  "a frame of an exchange never opened": encode([2, head]),
  "a frame of exchange 0": encode([0, head]),
  "a chunk before the head": encode([1, chunk(1)]),
  "an end without a head": encode([1, trailer()]),
  "two heads": encode([1, head], [1, head]),
  "chunks beyond their window": encode(
    [1, head],
    ...Array.from({ length: 5 }, (): [number, Kind] => [1, chunk(65_536)]),
  ),
  "credit beyond the window": encode([1, credit(windowBytes)]),
  "a refusal of an accepted exchange": encode([1, head], [1, cancel(true)]),
  "an open": encode([1, open("read")]),
  "a body": encode([1, body(1)]),
  "the end of a body": encode([1, end]),
  "a drain of an exchange": encode([1, drain]),
  "bytes that are not a batch": Buffer.from("HTTP/1.1 200 OK\r\n\r\n"),
};

for (const [what, batch] of Object.entries(againstClient)) {
  test(`a serving end that sends ${what} loses its link, and its exchanges fail once`, async () => {
    const { client, peers } = await connectClient();
    const response = new ReceivedResponse();
    openCall(client, response);
    await turn();
    peers[0]?.events.onBatch(batch);
    assert.match(peers[0]?.destroyed ?? "", /^link protocol: /);
    assert.equal(response.events.filter((event) => event === "error" || event === "end").length, 1);
    assert.deepEqual([response.error?.code, response.error?.seen], ["protocol", true]);
    await client.ready();
    assert.equal(peers.length, 2, "the client reconnects");
    await client.close();
  });
}

test("late frames of a cancelled exchange never reach another one", async () => {
  const { client, peers } = await connectClient();
  const [first, second] = [new ReceivedResponse(), new ReceivedResponse()];
  const call = openCall(client, first);
  await turn();
  call.cancel("no longer wanted");
  openCall(client, second);
  await turn();
  peers[0]?.events.onBatch(encode([1, head], [1, chunk(5)], [1, trailer()]));
  assert.deepEqual(first.events, ["error"]);
  assert.deepEqual(second.events, []);
  peers[0]?.events.onBatch(encode([2, head], [2, trailer()]));
  assert.deepEqual(second.events, ["head", "end"]);
  await client.close();
});

test("drains and replaces a link that has used up its ids, so that no id is used twice", async () => {
  const peers: Peer[] = [];
  const dial = (_address: string, events: TransportEvents): Peer => {
    const peer = new Peer(events);
    peers.push(peer);
    queueMicrotask(() => events.onReady());
    return peer;
  };
  const client = createLinkClient({ targets: () => Promise.resolve(["a:1"]), dial, maxExchangesPerLink: 2 });
  await client.ready();
  const responses = [new ReceivedResponse(), new ReceivedResponse(), new ReceivedResponse()];
  for (const response of responses) openCall(client, response);
  await client.ready();
  await turn();
  const opened = peers.map((peer) =>
    peer.sent.filter((frame) => frame.kind?.$case === "open").map((frame) => frame.exchange),
  );
  assert.deepEqual(opened, [[1, 2], [1]]);
  peers[0]?.events.onBatch(encode([1, head], [1, trailer()], [2, head], [2, trailer()]));
  assert.equal(peers[0]?.ended, true, "a drained link ends when its exchanges are over");
  peers[1]?.events.onBatch(encode([1, trailer("oh")]));
  assert.deepEqual(
    responses.map((response) => response.events.at(-1)),
    ["end", "end", "error"],
  );
  await client.close();
});

/** Valid traffic, corrupted: bytes changed, frames duplicated, dropped and reordered. */
function corrupt(random: Random, batches: Buffer[]): Buffer[] {
  return batches.flatMap((batch) => {
    const roll = random.int(10);
    if (roll === 0) return [];
    if (roll === 1) return [batch, batch];
    if (roll === 2) return [random.bytes(random.int(100))];
    if (roll > 6) return [batch];
    const spoiled = Buffer.from(batch);
    for (let hits = random.int(4); hits >= 0 && spoiled.length > 0; hits--)
      spoiled[random.int(spoiled.length)] = random.int(256);
    return [roll === 3 ? spoiled.subarray(0, random.int(spoiled.length + 1)) : spoiled];
  });
}

for (const seed of seeds(4)) {
  test(`corrupted traffic breaks no more than its link, at either end (TEST_SEED=${seed})`, async () => {
    const random = new Random(seed);
    for (let round = 0; round < 300; round++) {
      const { server, connect } = serve();
      const bad = connect();
      const toServer = [
        encode([1, open("read")], [1, body(100)], [2, open("hold", true)]),
        encode([1, body(300)], [1, end], [3, open("nothing of the kind")], [2, credit(0)]),
        encode([4, open("read", true)], [2, cancel()], [5, open("read")], [5, end]),
      ];
      for (const batch of corrupt(random, toServer)) bad.events.onBatch(batch);
      await turn();
      bad.events.onClosed("gone");
      await turn();
      assert.deepEqual(server.status(), { links: 0, exchanges: 0, handlers: 0, draining: false });

      const { client, peers } = await connectClient();
      const responses = [new ReceivedResponse(), new ReceivedResponse(), new ReceivedResponse()];
      for (const response of responses) openCall(client, response);
      await turn();
      const toClient = [
        encode([1, head], [1, chunk(100)], [2, credit(0)]),
        encode([2, head], [1, trailer()], [3, cancel()]),
        encode([2, chunk(500)], [2, trailer("bad")]),
      ];
      for (const batch of corrupt(random, toClient)) peers[0]?.events.onBatch(batch);
      await client.close();
      for (const { events } of responses) {
        assert.equal(events.filter((event) => event === "error" || event === "end").length, 1);
        assert.ok(["error", "end"].includes(events.at(-1) ?? ""), "no event after the end");
      }
    }
  });
}
