import assert from "node:assert/strict";
import { test } from "node:test";
import type { PriceVersionRow } from "@uag/catalog/types";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { capturedLog } from "@uag/harness/testing/captured-log";
import { waitFor } from "@uag/harness/testing/wait-for";
import { type PriceServiceServer, PriceServiceService } from "@uag/proto/billing/v1/prices.ts";
import { insecure } from "@uag/runtime/rpc/identity";
import { serveRpc, unaryService } from "@uag/runtime/rpc/server";
import type { AdmissionOfProcess } from "@uag/usage/types";
import { followPrices } from "../src/accepted-prices.ts";

const row = {
  model: "m",
  effective_from: "2026-11-24T00:00:00.000Z",
  accepted_by: "Ada",
  reason: "litellm 1",
  price: { input_tokens: 2 },
};
const refuse = async (): Promise<never> => {
  throw new GatewayError("internal_error");
};

test("no request is admitted before billing has returned the accepted prices, and each list is put into force once", async () => {
  const { log } = capturedLog();
  const asked: string[] = [];
  let available = false;
  const service = unaryService<PriceServiceServer>(
    PriceServiceService,
    {
      listAcceptedPrices: async ({ version }) => {
        if (!available) throw new GatewayError("service_unavailable");
        asked.push(version);
        return { version: "one", rows: version === "one" ? [] : [JSON.stringify(row)] };
      },
      putPriceTable: refuse,
      reviewPrices: refuse,
      acceptPrice: refuse,
    },
    log,
  );
  await using server = await serveRpc({ host: "127.0.0.1", port: 0, identity: insecure, services: [service] });
  const inForce: (readonly PriceVersionRow[])[] = [];
  const catalog = { accept: async (rows: readonly PriceVersionRow[]) => void inForce.push(rows) };
  using prices = followPrices({
    catalog,
    address: `127.0.0.1:${server.port}`,
    identity: insecure,
    log,
    everyMs: 20,
  });
  const admitted = { started: Promise.resolve() };
  /** Its members are on the prototype, as those of a process's admission are. */
  class Admitting {
    readonly isOurs = true;
    get check() {
      return async () => ({ ok: this.isOurs });
    }
    async admit() {
      return this.isOurs && admitted;
    }
  }
  const guarded = prices.guard(new Admitting() as unknown as AdmissionOfProcess);
  assert.deepEqual(await guarded.check(), { ok: true });
  const admit = () => guarded.admit({} as Parameters<AdmissionOfProcess["admit"]>[0]);
  await assert.rejects(admit, (error: GatewayError) => error.code === "service_unavailable");
  assert.equal((await prices.check()).ok, false);
  available = true;
  await waitFor(async () => asked.includes("one"), { what: "a second poll" });
  assert.equal(await admit(), admitted);
  assert.equal((await prices.check()).ok, true);
  assert.deepEqual(inForce, [[row]]);
});
