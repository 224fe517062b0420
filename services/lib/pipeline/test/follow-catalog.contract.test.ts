import assert from "node:assert/strict";
import { test } from "node:test";
import type { CatalogChanges } from "@uag/catalog/parse";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { catalogChangedSubject } from "@uag/contract/messages/billing";
import { capturedLog } from "@uag/harness/testing/captured-log";
import { waitFor } from "@uag/harness/testing/wait-for";
import { type CatalogServiceServer, CatalogServiceService, GetOverlayResponse } from "@uag/proto/billing/v1/catalog.ts";
import { insecure } from "@uag/runtime/rpc/identity";
import { serveRpc, unaryService } from "@uag/runtime/rpc/server";
import { followCatalog } from "../src/follow-catalog.ts";

const row = {
  model: "m",
  effective_from: "2026-11-24T00:00:00.000Z",
  accepted_by: "Ada",
  reason: "litellm 1",
  price: { input_tokens: 2 },
};
const provider = { name: "p", enabled: true, added: false, fields: '{"base_url":"https://example.com"}' };
const model = { id: "o/m", enabled: false, added: true, fields: '{"id":"o/m"}' };
const share = { weight: 1, priority: 0, account: "", dailyCapUsd: 0, monthlyCapUsd: 0 };
const credentials = [
  { id: "c1", provider: "p", name: "", enabled: false, reference: "\u0024{X}" },
  { id: "c2", provider: "p", name: "main", enabled: true, value: "k", share: { ...share, weight: 2 } },
];
const expected: CatalogChanges = {
  accepted: [row],
  overlay: {
    version: 1,
    providers: [{ name: "p", enabled: true, added: false, fields: { base_url: "https://example.com" } }],
    models: [{ name: "o/m", enabled: false, added: true, fields: { id: "o/m" } }],
    credentials: [
      { id: "c1", provider: "p", name: "", enabled: false, ...share, secret: { reference: "\u0024{X}" } },
      { id: "c2", provider: "p", name: "main", enabled: true, ...share, weight: 2, secret: { value: "k" } },
    ],
  },
};
const refuse = async (): Promise<never> => {
  throw new GatewayError("internal_error");
};

type Handler = (data: Uint8Array, subject: string) => void;

/** Follows the changes of a billing that is unavailable until `billing.available` is set. */
async function follow(options: { readonly startGraceMs?: number; readonly everyMs?: number } = {}) {
  const { log } = capturedLog();
  const billing = { available: false, current: 1, asked: [] as string[], refused: 0 };
  const service = unaryService<CatalogServiceServer>(
    CatalogServiceService,
    {
      getOverlay: async ({ version }) => {
        if (!billing.available) {
          billing.refused++;
          throw new GatewayError("service_unavailable");
        }
        billing.asked.push(version);
        const known = { version: `v${billing.current}`, changed: version !== `v${billing.current}` };
        if (!known.changed) return GetOverlayResponse.fromPartial(known);
        const all = { providers: [provider], models: [model], credentials, acceptedPrices: [JSON.stringify(row)] };
        return GetOverlayResponse.fromPartial({ ...known, overlayVersion: BigInt(billing.current), ...all });
      },
      listProviders: refuse,
      updateProvider: refuse,
      createCredential: refuse,
      updateCredential: refuse,
      deleteCredential: refuse,
      createProvider: refuse,
      deleteProvider: refuse,
      listTemplates: refuse,
      listChanges: refuse,
      createModel: refuse,
      updateModel: refuse,
      deleteModel: refuse,
    },
    log,
  );
  const server = await serveRpc({ host: "127.0.0.1", port: 0, identity: insecure, services: [service] });
  const inForce: CatalogChanges[] = [];
  const announce = new Map<string, () => void>();
  const bus = {
    subscribe: (subject: string, handler: Handler) =>
      void announce.set(subject, () => handler(Buffer.alloc(0), subject)),
    onChange: () => () => undefined,
  };
  const captured = capturedLog();
  const again = () =>
    followCatalog({
      catalog: { apply: async (given) => void inForce.push(given) },
      address: `127.0.0.1:${server.port}`,
      identity: insecure,
      bus,
      log: captured.log,
      everyMs: 20,
      ...options,
    });
  const changes = again();
  return {
    billing,
    changes,
    again,
    inForce,
    announce: () => announce.get(catalogChangedSubject)?.(),
    lines: captured.lines,
    async [Symbol.asyncDispose]() {
      changes[Symbol.dispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

test("no request is admitted before billing has returned the changes, and each version is put into force once", async () => {
  await using stage = await follow();
  const { billing, changes, inForce } = stage;
  assert.equal(changes.refusal()?.code, "service_unavailable");
  assert.equal((await changes.check()).ok, false);
  billing.available = true;
  await waitFor(async () => billing.asked.includes("v1"), { what: "a second poll" });
  assert.equal(changes.refusal(), undefined);
  assert.equal((await changes.check()).ok, true);
  assert.deepEqual(inForce, [expected]);
});

test("a service opens its port after billing's first response, and does not wait for a billing that is unavailable", async () => {
  await using stage = await follow({ everyMs: 60_000 });
  await stage.changes.asked;
  assert.deepEqual([stage.billing.refused, stage.inForce.length], [1, 0]);
  stage.billing.available = true;
  using changes = stage.again();
  await changes.asked;
  assert.equal(changes.refusal(), undefined);
});

test("an announced change is read at once, without waiting for a poll", async () => {
  await using stage = await follow({ everyMs: 3_600_000 });
  const { billing, inForce } = stage;
  billing.available = true;
  stage.announce();
  await waitFor(async () => inForce.length === 1, { what: "the first changes" });
  billing.current = 2;
  stage.announce();
  await waitFor(async () => inForce.length === 2, { what: "the announced change" });
  assert.equal(inForce[1]?.overlay?.version, 2);
});

test("logs no warning while billing may be starting, but one for each failure after billing was reached", async () => {
  await using stage = await follow();
  const { billing, lines } = stage;
  await waitFor(() => billing.refused > 0);
  billing.available = true;
  await waitFor(() => billing.asked.length > 0);
  assert.deepEqual(lines, []);
  billing.available = false;
  await waitFor(() => lines.length > 0);
});

test("logs a warning when billing takes longer than its start may", async () => {
  await using stage = await follow({ startGraceMs: 0 });
  await waitFor(() => stage.lines.length > 0);
});
