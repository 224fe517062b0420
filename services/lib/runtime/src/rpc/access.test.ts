import assert from "node:assert/strict";
import { glob } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { ServiceDefinition } from "@grpc/grpc-js";
import { access, callersOf, serversOf } from "@uag/contract/access/rpc";
import { peerIn, uriOf } from "./peer.ts";

const generated = join(import.meta.dirname, "../../../../../proto/gen");

/** The wire path of every RPC in the generated code. */
async function everyPath(): Promise<string[]> {
  const paths: string[] = [];
  for await (const file of glob("**/*.ts", { cwd: generated })) {
    const module = (await import(join(generated, file))) as Record<string, unknown>;
    for (const [name, value] of Object.entries(module)) {
      if (name.endsWith("Service")) paths.push(...Object.values(value as ServiceDefinition).map(({ path }) => path));
    }
  }
  return paths;
}

test("the access table lists callers and servers of every RPC, and nothing else", async () => {
  const paths = await everyPath();
  assert.ok(paths.length > 40);
  for (const path of paths) {
    assert.ok(callersOf(path).length > 0, `${path} has no permitted caller`);
    assert.ok(serversOf(path).length > 0, `${path} has no server`);
  }
  const named = Object.entries(access).flatMap(([service, { callers }]) =>
    Object.keys(callers).map((method) => `/${service}/${method}`),
  );
  assert.deepEqual(named.sort(), paths.sort());
});

test("RPCs that move money or change keys are open to the fewest callers", () => {
  assert.deepEqual(callersOf("/billing.v1.LedgerService/Settle"), ["metering"]);
  // Media sends the requests of batches.
  assert.deepEqual(callersOf("/link.v1.LinkService/Link"), ["router", "media"]);
  for (const method of ["CreateAdminToken", "ResolveAdminToken", "RegenerateKey", "RepairUnpriced"])
    assert.deepEqual(callersOf(`/billing.v1.AdminService/${method}`), ["router"]);
  assert.deepEqual(callersOf("/grpc.health.v1.Health/Check"), []);
  assert.deepEqual(callersOf("/billing.v1.AccountService/constructor"), []);
});

test("a certificate identifies a peer and its trust domain by exactly one URI, whatever other names it has", () => {
  const chat = { trustDomain: "gateway", peer: "chat" };
  assert.deepEqual(peerIn(`URI:${uriOf("chat")}`), chat);
  assert.deepEqual(peerIn(`DNS:localhost, URI:${uriOf("chat")}, IP Address:127.0.0.1`), chat);
  assert.deepEqual(peerIn("URI:spiffe://staging/chat"), { ...chat, trustDomain: "staging" });
  for (const strange of [
    undefined,
    "",
    "DNS:chat",
    "URI:spiffe://gateway/stranger",
    "URI:spiffe:///chat",
    "URI:spiffe://gateway/chat/more",
    `URI:${uriOf("chat")}, URI:${uriOf("router")}`,
    `DNS:URI:${uriOf("chat")}`,
    `DNS:"x, URI:${uriOf("router")}"`,
  ]) {
    assert.equal(peerIn(strange), undefined, strange);
  }
});
