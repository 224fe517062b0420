import assert from "node:assert/strict";
import { test } from "node:test";
import { Random, seeds } from "@uag/harness/testing/seeded-random";
import { type Frame, FrameBatch } from "@uag/proto/link/v1/link.ts";
import { insecure } from "@uag/runtime/rpc/identity";
import { serveLocally } from "../test/support.ts";
import type { LinkCall } from "./call.ts";
import { createLinkClient, type LinkClient, type LinkClientOptions } from "./client.ts";
import type { LinkError } from "./errors.ts";
import { serveStream } from "./grpc-server.ts";
import { dialLocal } from "./in-process.ts";
import { windowBytes } from "./limits.ts";
import { createLinkServer, type LinkServer } from "./server.ts";
import type { Dial, Transport, TransportEvents } from "./transport.ts";

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
abstract class Peer {
  readonly sent: Frame[] = [];
  destroyed: string | undefined;
  ended = false;

  abstract send(batch: Buffer): void;
  abstract leave(reason: string): void;

  protected receive(batch: Buffer): void {
    this.sent.push(...FrameBatch.decode(batch).frames);
  }
}

/** A peer that is the transport itself. */
class DirectPeer extends Peer implements Transport {
  readonly #events: TransportEvents;

  constructor(events: TransportEvents) {
    super();
    this.#events = events;
  }
  send(batch: Buffer): void {
    this.#events.onBatch(batch);
  }
  leave(reason: string): void {
    this.#events.onClosed(reason);
  }
  write(batch: Buffer): boolean {
    this.receive(batch);
    return true;
  }
  end(): void {
    this.ended = true;
  }
  destroy(reason: string): void {
    this.destroyed = reason;
    this.#events.onClosed(reason);
  }
}

/** A peer at the other end of a transport. */
class RemotePeer extends Peer implements TransportEvents {
  transport: Transport | undefined;

  send(batch: Buffer): void {
    this.transport?.write(batch);
  }
  leave(reason: string): void {
    this.transport?.destroy(reason);
  }
  onReady(): void {}
  onBatch(batch: Buffer): void {
    this.receive(batch);
  }
  onDrained(): void {}
  onPeerEnd(): void {
    this.ended = true;
    this.transport?.end();
  }
  onClosed(reason: string): void {
    this.destroyed = reason;
  }
}

/** How the test reaches a link's two ends. */
interface Wire {
  connect(server: LinkServer): Peer;
  /** Dials a peer of the test's. */
  dial(peers: Peer[]): Dial;
}

const wires: Record<string, Wire> = {
  "a network": {
    connect(server) {
      let peer: DirectPeer | undefined;
      server.accept((events) => {
        peer = new DirectPeer(events);
        return peer;
      });
      assert.ok(peer);
      return peer;
    },
    dial: (peers) => (_address, events) => {
      const peer = new DirectPeer(events);
      peers.push(peer);
      queueMicrotask(() => events.onReady());
      return peer;
    },
  },
  "one process": {
    connect(server) {
      serveLocally("server:1", server.rpc);
      const peer = new RemotePeer();
      peer.transport = dialLocal(insecure, "chat")("server:1", peer);
      return peer;
    },
    dial(peers) {
      const accept = (attach: (events: TransportEvents) => Transport): void => {
        const peer = new RemotePeer();
        peer.transport = attach(peer);
        peers.push(peer);
      };
      serveLocally("a:1", { implementation: { link: serveStream({ accept, refuse: () => false }) } });
      return dialLocal(insecure, "chat");
    },
  },
};

function serve(wire: Wire): { server: LinkServer; connect: () => Peer } {
  const server = createLinkServer({
    operations: {
      read: async (exchange) => exchange.respond(200, [], await exchange.readBody({ maxBytes: 1 << 20 })),
      hold: async (exchange) => void (await new Promise((_, reject) => onAbort(exchange.signal, reject))),
    },
  });
  return { server, connect: () => wire.connect(server) };
}

function onAbort(signal: AbortSignal, reject: (error: unknown) => void): void {
  signal.addEventListener("abort", () => reject(signal.reason));
}

async function connectClient(
  wire: Wire,
  options: Pick<LinkClientOptions, "maxExchangesPerLink"> = {},
): Promise<{ client: LinkClient; peers: Peer[] }> {
  const peers: Peer[] = [];
  const client = createLinkClient({ targets: () => Promise.resolve(["a:1"]), dial: wire.dial(peers), ...options });
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

for (const [where, wire] of Object.entries(wires)) {
  for (const [what, batches] of Object.entries(againstServer)) {
    test(`in ${where}, a calling end that sends ${what} loses its link, and no other link breaks`, async () => {
      const { server, connect } = serve(wire);
      const [bad, good] = [connect(), connect()];
      good.send(encode([1, open("read")], [1, body(5)]));
      for (const batch of batches) bad.send(batch);
      await turn();
      assert.match(bad.destroyed ?? "", /^link protocol: /);
      good.send(encode([1, end]));
      await turn();
      assert.deepEqual(
        good.sent.map((frame) => frame.kind?.$case),
        ["head", "chunk", "trailer"],
      );
      assert.deepEqual(server.status(), { links: 1, exchanges: 0, handlers: 0, draining: false });
    });
  }

  test(`in ${where}, late frames of an exchange that is over are ignored`, async () => {
    const { server, connect } = serve(wire);
    const peer = connect();
    peer.send(
      encode([1, open("hold")], [1, cancel()], [1, body(5)], [1, credit(2 ** 32 - 1)], [1, end], [1, cancel()]),
    );
    await turn();
    assert.equal(peer.destroyed, undefined);
    assert.deepEqual(server.status(), { links: 1, exchanges: 0, handlers: 0, draining: false });
  });

  for (const [what, batch] of Object.entries(againstClient)) {
    test(`in ${where}, a serving end that sends ${what} loses its link, and its exchanges fail once`, async () => {
      const { client, peers } = await connectClient(wire);
      const response = new ReceivedResponse();
      openCall(client, response);
      await turn();
      peers[0]?.send(batch);
      await turn();
      assert.match(peers[0]?.destroyed ?? "", /^link protocol: /);
      assert.equal(response.events.filter((event) => event === "error" || event === "end").length, 1);
      assert.deepEqual([response.error?.code, response.error?.seen], ["protocol", true]);
      await client.ready();
      assert.equal(peers.length, 2, "the client reconnects");
      await client.close();
    });
  }

  test(`in ${where}, late frames of a cancelled exchange never reach another one`, async () => {
    const { client, peers } = await connectClient(wire);
    const [first, second] = [new ReceivedResponse(), new ReceivedResponse()];
    const call = openCall(client, first);
    await turn();
    call.cancel("no longer wanted");
    openCall(client, second);
    await turn();
    peers[0]?.send(encode([1, head], [1, chunk(5)], [1, trailer()]));
    await turn();
    assert.deepEqual(first.events, ["error"]);
    assert.deepEqual(second.events, []);
    peers[0]?.send(encode([2, head], [2, trailer()]));
    await turn();
    assert.deepEqual(second.events, ["head", "end"]);
    await client.close();
  });

  test(`in ${where}, a link that has used up its ids is drained and replaced, so that no id is used twice`, async () => {
    const { client, peers } = await connectClient(wire, { maxExchangesPerLink: 2 });
    const responses = [new ReceivedResponse(), new ReceivedResponse(), new ReceivedResponse()];
    for (const response of responses) openCall(client, response);
    await client.ready();
    await turn();
    const opened = peers.map((peer) =>
      peer.sent.filter((frame) => frame.kind?.$case === "open").map((frame) => frame.exchange),
    );
    assert.deepEqual(opened, [[1, 2], [1]]);
    peers[0]?.send(encode([1, head], [1, trailer()], [2, head], [2, trailer()]));
    await turn();
    assert.equal(peers[0]?.ended, true, "a drained link ends when its exchanges are over");
    peers[1]?.send(encode([1, trailer("oh")]));
    await turn();
    assert.deepEqual(
      responses.map((response) => response.events.at(-1)),
      ["end", "end", "error"],
    );
    await client.close();
  });

  for (const seed of seeds(4)) {
    test(`in ${where}, corrupted traffic breaks no more than its link, at either end (TEST_SEED=${seed})`, async () => {
      const random = new Random(seed);
      for (let round = 0; round < 300; round++) {
        const { server, connect } = serve(wire);
        const bad = connect();
        const toServer = [
          encode([1, open("read")], [1, body(100)], [2, open("hold", true)]),
          encode([1, body(300)], [1, end], [3, open("nothing of the kind")], [2, credit(0)]),
          encode([4, open("read", true)], [2, cancel()], [5, open("read")], [5, end]),
        ];
        for (const batch of corrupt(random, toServer)) bad.send(batch);
        await turn();
        bad.leave("gone");
        await turn();
        assert.deepEqual(server.status(), { links: 0, exchanges: 0, handlers: 0, draining: false });

        const { client, peers } = await connectClient(wire);
        const responses = [new ReceivedResponse(), new ReceivedResponse(), new ReceivedResponse()];
        for (const response of responses) openCall(client, response);
        await turn();
        const toClient = [
          encode([1, head], [1, chunk(100)], [2, credit(0)]),
          encode([2, head], [1, trailer()], [3, cancel()]),
          encode([2, chunk(500)], [2, trailer("bad")]),
        ];
        for (const batch of corrupt(random, toClient)) peers[0]?.send(batch);
        await turn();
        await client.close();
        for (const { events } of responses) {
          assert.equal(events.filter((event) => event === "error" || event === "end").length, 1);
          assert.ok(["error", "end"].includes(events.at(-1) ?? ""), "no event after the end");
        }
      }
    });
  }
}
