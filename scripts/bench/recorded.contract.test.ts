import assert from "node:assert/strict";
import { test } from "node:test";
import { AuditResponse, LedgerServiceService } from "@uag/proto/billing/v1/ledger.ts";
import { insecure } from "@uag/runtime/rpc/identity";
import { serveRpc } from "@uag/runtime/rpc/server";
import { Recorded } from "./recorded.ts";

/** A ledger whose audits return these results in order, and then repeat the last. */
async function ledgerOf(audits: readonly Partial<AuditResponse>[]) {
  let calls = 0;
  const unused = () => assert.fail("only audits are requested");
  const audit = (_: unknown, callback: (error: null, response: AuditResponse) => void) => {
    const response = audits[Math.min(calls, audits.length - 1)] ?? {};
    calls += 1;
    callback(null, AuditResponse.fromPartial(response));
  };
  const implementation = { settle: unused, listEntries: unused, audit };
  const definition = LedgerServiceService;
  const server = await serveRpc({
    identity: insecure,
    host: "127.0.0.1",
    port: 0,
    services: [{ definition, implementation }],
  });
  const endpoint = { host: "127.0.0.1", port: 1, basePath: "/v1", key: "k", model: "m" };
  const billing = { address: `127.0.0.1:${server.port}`, identity: insecure };
  const recorded = await Recorded.open({ name: "gateway", endpoint, processes: new Map(), billing });
  assert.ok(recorded !== undefined);
  return {
    check: (served: number) => recorded.check({ served, withinMs: 1_000, signal: new AbortController().signal }),
    async [Symbol.asyncDispose]() {
      recorded[Symbol.dispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

test("earlier requests in the ledger do not count, and a ledger that is behind gets time to catch up", async () => {
  await using ledger = await ledgerOf([
    { settledRequests: 10n },
    { settledRequests: 12n },
    { settledRequests: 1_244n },
  ]);
  assert.equal(await ledger.check(1_234), "recorded 1,234 of 1,234");
});

test("a request that never reaches the ledger fails the benchmark", async () => {
  await using ledger = await ledgerOf([{}, { settledRequests: 4n }]);
  await assert.rejects(ledger.check(5), /recorded 4 of 5/);
});

test("a request that is charged twice fails the benchmark", async () => {
  await using ledger = await ledgerOf([{}, { settledRequests: 6n }]);
  await assert.rejects(ledger.check(5), /recorded 6 of 5/);
});

test("a ledger with violations fails the benchmark, even if it has every request once", async () => {
  await using ledger = await ledgerOf([{}, { settledRequests: 5n, violations: ["available is negative"] }]);
  await assert.rejects(ledger.check(5), /available is negative/);
});
