import assert from "node:assert/strict";
import type { X509Certificate } from "node:crypto";
import { test } from "node:test";
import type { Peer } from "@uag/contract/access/rpc";
import { type Identity, insecure } from "@uag/runtime/rpc/identity";
import { inProcess } from "@uag/runtime/rpc/in-process";
import { uriOf } from "@uag/runtime/rpc/peer";
import { listen } from "@uag/runtime/rpc/server";
import { dialReplica } from "../src/dial.ts";
import { createLinkServer } from "../src/server.ts";
import { echo } from "./fixtures.ts";

/** An identity whose peers accept any certificate, but still check the access table. */
function identityOf(peer: Peer): Identity {
  const certificate = { subjectAltName: `URI:${uriOf(peer)}` } as X509Certificate;
  return {
    ...insecure,
    enforced: true,
    trustDomains: ["gateway"],
    certificate: () => certificate,
    verify: () => {},
  };
}

/** What becomes of a link: `ready`, or why it closed. */
async function outcomeOf(address: string, caller: Peer): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const transport = dialReplica(identityOf(caller), "chat")(address, {
    onReady: () => resolve("ready"),
    onBatch: () => {},
    onDrained: () => {},
    onPeerEnd: () => {},
    onClosed: resolve,
  });
  const outcome = await promise;
  transport.destroy("seen");
  return outcome;
}

test("in one process, only the callers in the access table open links, and none once the port has closed", async () => {
  const link = createLinkServer({ operations: { echo } });
  const identity = identityOf("chat");
  const { server, port, closeLocal } = await listen({ host: "127.0.0.1", port: 0, identity, services: [link.rpc] });
  const address = `127.0.0.1:${port}`;
  inProcess.share([address]);
  assert.equal(await outcomeOf(address, "router"), "ready");
  assert.equal(await outcomeOf(address, "media"), "ready");
  assert.equal(await outcomeOf(address, "console"), "console may not call /link.v1.LinkService/Link.");
  await closeLocal();
  assert.equal(await outcomeOf(address, "router"), `nothing listens at ${address}`);
  server.forceShutdown();
});
