import assert from "node:assert/strict";
import { createSocket, type Socket } from "node:dgram";
import dns from "node:dns/promises";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { Stopwatch } from "@uag/harness/testing/durations";
import { createGuardedClient } from "../src/http/guarded.ts";
import { PublicNames } from "../src/http/public-names.ts";
import { UrlError, type UrlFault } from "../src/http/url-error.ts";

const fails = (fault: UrlFault) => (error: unknown) => error instanceof UrlError && error.fault === fault;
const { signal } = new AbortController();

interface NameServer {
  readonly address: string;
  /** Queried names, one entry per query. */
  readonly received: string[];
  /** The response for a name and a family; undefined: no response. */
  responses(name: string, family: 4 | 6): readonly string[] | undefined;
}

/** A name server controlled by the test, following RFC 1035. */
async function nameServer(t: TestContext, responses: NameServer["responses"]): Promise<NameServer> {
  const socket: Socket = createSocket("udp4");
  const server: NameServer = { address: "", received: [], responses };
  socket.on("message", (query, { port, address }) => {
    const labels: string[] = [];
    let at = 12;
    for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
      labels.push(query.toString("latin1", at + 1, at + 1 + length));
      at += 1 + length;
    }
    const type = query.readUInt16BE(at + 1);
    const name = labels.join(".");
    server.received.push(name);
    const found = server.responses(name, type === 28 ? 6 : 4);
    if (found === undefined) return;
    const question = query.subarray(12, at + 5);
    const records = found.map((text) => record(type, addressBytes(text)));
    const head = Buffer.alloc(12);
    query.copy(head, 0, 0, 2);
    head.writeUInt16BE(0x8180, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(records.length, 6);
    socket.send(Buffer.concat([head, question, ...records]), port, address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  t.after(() => socket.close());
  return Object.assign(server, { address: `127.0.0.1:${socket.address().port}` });
}

/** A record for the queried name, with a TTL of ten seconds. */
function record(type: number, data: Buffer): Buffer {
  const head = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 10, 0, data.length]);
  return Buffer.concat([head, data]);
}

function addressBytes(text: string): Buffer {
  if (text.includes(".")) return Buffer.from(text.split(".").map(Number));
  const [head = "", tail = ""] = text.split("::").map((half) => half.split(":").filter(Boolean).map(hex).join(""));
  return Buffer.from(head.padEnd(32 - tail.length, "0") + tail, "hex");
}

const hex = (part: string): string => part.padStart(4, "0");

test("rejects a name if any of its addresses in either family is not public, and queries a name once within its TTL", async (t) => {
  let found: Record<4 | 6, string[]> = { 4: [], 6: [] };
  const server = await nameServer(t, (_, family) => found[family]);
  for (const [four, six] of [
    [["127.0.0.1"], []],
    [["8.8.8.8", "10.0.0.1"], []],
    [["8.8.8.8"], ["::1"]],
    [[], ["64:ff9b::a00:1"]],
    [["168.63.129.16"], []],
  ] as const) {
    found = { 4: [...four], 6: [...six] };
    const names = new PublicNames({ nameServers: [server.address] });
    await assert.rejects(names.resolve("rebinding.example", signal), fails("address_refused"));
    const looked = await lookup(names, "rebinding.example");
    assert.ok(looked[0] instanceof UrlError, "a rejected name is not cached");
  }
  found = { 4: ["8.8.8.8", "1.1.1.1"], 6: ["2606:4700::1111"] };
  const names = new PublicNames({ nameServers: [server.address] });
  server.received.length = 0;
  for (let i = 0; i < 3; i++) await names.resolve("good.example", signal);
  assert.deepEqual(server.received, ["good.example", "good.example"], "once for each family");
  const [error, addresses] = await lookup(names, "good.example");
  assert.equal(error, null);
  assert.deepEqual((addresses as { address: string }[]).map(({ address }) => address).sort(), [
    "1.1.1.1",
    "2606:4700::1111",
    "8.8.8.8",
  ]);
});

function lookup(names: PublicNames, name: string): Promise<unknown[]> {
  return new Promise((resolve) => names.lookup(name, { all: true }, (...looked) => resolve(looked)));
}

test("a name server that never responds delays no files, no system lookups and no other users' names", async (t) => {
  const silent = "silent.example";
  const server = await nameServer(t, (name, family) => {
    if (name.endsWith(silent)) return undefined;
    return family === 4 ? ["8.8.8.8"] : [];
  });
  const names = new PublicNames({ nameServers: [server.address], timeoutMs: 1_500 });
  using watch = new Stopwatch();
  const stuck = Array.from({ length: 50 }, (_, i) =>
    assert.rejects(names.resolve(`n${i}.${silent}`, signal, "attacker"), fails("unreachable")),
  );
  await Promise.all([
    readFile(import.meta.filename),
    dns.lookup("localhost"),
    names.resolve("good.example", signal, "somebody else"),
    names.resolve("better.example", signal, "a third one"),
  ]);
  assert.ok(watch.ms < 1_000, `${watch.ms} ms`);
  const silentOnes = new Set(server.received.filter((name) => name.endsWith(silent)));
  assert.ok(silentOnes.size <= 8, `${silentOnes.size} of one owner's names are looked up at a time`);
  await Promise.all(stuck.slice(0, 8));
  assert.ok(watch.ms < 4_000, `${watch.ms} ms`);
  const controller = new AbortController();
  const waiting = names.resolve(`late.${silent}`, controller.signal, "attacker");
  const given = assert.rejects(waiting, { name: "AbortError" });
  const beforeMs = watch.ms;
  controller.abort();
  await given;
  assert.ok(watch.ms - beforeMs < 100, "aborting takes effect at once");
  t.after(() => Promise.allSettled(stuck));
});

test("resolves a name by one address family if the other's server does not respond", async (t) => {
  const server = await nameServer(t, (_, family) => (family === 4 ? ["8.8.8.8"] : undefined));
  const names = new PublicNames({ nameServers: [server.address] });
  using watch = new Stopwatch();
  await names.resolve("half.example", signal);
  assert.ok(watch.ms < 1_000, `${watch.ms} ms`);
});

test("resolves only exempt names through the system, including /etc/hosts", async (t) => {
  const server = await nameServer(t, () => undefined);
  const site = createServer((_, response) => response.end("mine")).listen(0, "localhost");
  await once(site, "listening");
  t.after(() => site.close());
  const { port } = site.address() as AddressInfo;
  await using client = createGuardedClient({ allow: [`localhost:${port}`], nameServers: [server.address] });
  const call = { timeoutMs: 500, maxBytes: 100 };
  assert.equal((await client.fetch(`http://localhost:${port}/`, call)).body.toString(), "mine");
  assert.deepEqual(server.received, []);
  await assert.rejects(client.fetch("https://elsewhere.example/", call), fails("timeout"));
  assert.ok(server.received.length > 0);
});

test("reserves memory before buffering each piece of a body, and stops when it is refused", async (t) => {
  const site = createServer((_, response) => response.end("x".repeat(600))).listen(0, "127.0.0.1");
  await once(site, "listening");
  t.after(() => site.close());
  const { port } = site.address() as AddressInfo;
  await using client = createGuardedClient({ allow: [`127.0.0.1:${port}`] });
  let left = 1_000;
  const take = (bytes: number): void => {
    left -= bytes;
    if (left < 0) throw new GatewayError("service_unavailable");
  };
  const call = { timeoutMs: 2_000, maxBytes: 1_000, take };
  const url = `http://127.0.0.1:${port}/`;
  assert.equal((await client.fetch(url, call)).body.length, 600);
  await assert.rejects(client.fetch(url, call), GatewayError);
});
