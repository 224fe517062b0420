import assert from "node:assert/strict";
import { test } from "node:test";
import type { GatewayError } from "@uag/contract/errors/gateway-error";
import { type AdminServiceServer, AdminServiceService } from "@uag/proto/billing/v1/admin.ts";
import { type PriceServiceServer, PriceServiceService } from "@uag/proto/billing/v1/prices.ts";
import { createRpcClient } from "@uag/runtime/rpc/client";
import { insecure } from "@uag/runtime/rpc/identity";
import { catalogFile, scratch, startBilling } from "./harness.ts";

const actor = { id: "admtok_x", name: "Ada", requestId: "req_1" };
const usd = 1_000_000_000n;
const catalogue = `
providers:
  there: {protocol: openai, base_url: "http://x", api_key: k}
models:
  - {id: m, owned_by: test, created: 1700000000, operations: [chat.completions], context_tokens: 1000,
     max_output_tokens: 100, price: {input_tokens: 1, output_tokens: 4}, upstreams: [{provider: there, model: theirs}]}
`;

test("an accepted price is one immutable version with its audit row, however often it is accepted; stale, doubtful and late ones are refused", async () => {
  await using file = await catalogFile(catalogue);
  await using db = scratch({ CATALOG_FILE: file.path });
  await using billing = await startBilling(db.env);
  const address = `127.0.0.1:${billing.grpcPort}`;
  using prices = createRpcClient<PriceServiceServer>(PriceServiceService, address, insecure);
  using admin = createRpcClient<AdminServiceServer>(AdminServiceService, address, insecure);
  const put = (name: string, input: bigint, output: bigint) => {
    const rates = { input_tokens: input, output_tokens: output };
    const price = { provider: "there", model: "theirs", link: "https://vendor", rates };
    return prices.putPriceTable({ name, origin: `${name} 1`, prices: [price], actor });
  };
  const reviewed = async () => (await prices.reviewPrices({})).models[0];
  const accept = async (given: { table?: string; confirmed?: boolean; version?: string; effectiveFromMs?: bigint }) =>
    prices.acceptPrice({
      model: "m",
      priceVersion: given.version ?? (await reviewed())?.priceVersion ?? "",
      table: given.table ?? "",
      effectiveFromMs: given.effectiveFromMs ?? 0n,
      confirmed: given.confirmed ?? false,
      actor,
    });
  const refusedBy =
    (param: string, code = "invalid_request") =>
    (error: unknown) =>
      (error as GatewayError).code === code && (error as GatewayError).param === param;

  assert.deepEqual((await prices.reviewPrices({})).models, []);
  await put("litellm", 2n * usd, 3n * usd);
  await put("genai-prices", usd, 3n * usd);
  const found = await reviewed();
  assert.deepEqual(
    found?.differences.map(({ price, finding }) => [price, finding]),
    [
      ["input_tokens", "disagree"],
      ["output_tokens", "changed"],
    ],
  );
  assert.deepEqual(
    found?.options.map(({ table, changes, secondLooks }) => [table, changes.length, secondLooks.length]),
    [
      ["", 1, 0],
      ["genai-prices", 2, 1],
      ["litellm", 2, 2],
    ],
  );
  const first = await accept({});
  assert.equal(first.acceptedBy, "Ada");
  assert.match(first.reason, /litellm 1.*https:\/\/vendor/);
  const stale = found?.priceVersion ?? "";
  assert.deepEqual(await accept({ version: stale }), first, "a repeated request");
  const other = { version: stale, table: "litellm", confirmed: true };
  await assert.rejects(accept(other), refusedBy("price_version", "already_exists"));
  await assert.rejects(accept({ table: "litellm" }), refusedBy("confirm"));
  await assert.rejects(accept({ table: "nobody" }), refusedBy("from"));
  const past = BigInt(Date.now() - 60_000);
  const doubled = { table: "litellm", confirmed: true };
  await assert.rejects(accept({ ...doubled, effectiveFromMs: past }), refusedBy("effective_from"));
  const version = (await reviewed())?.priceVersion ?? "";
  const racing = await Promise.allSettled([accept({ ...doubled, version }), accept({ ...doubled, version })]);
  assert.ok(racing.some(({ status }) => status === "fulfilled"));

  const { rows, version: listed } = await prices.listAcceptedPrices({ version: "" });
  assert.deepEqual(
    rows.map((row) => (JSON.parse(row) as { price: object }).price),
    [
      { input_tokens: 1, output_tokens: 3 },
      { input_tokens: 2, output_tokens: 3 },
    ],
  );
  assert.deepEqual((await prices.listAcceptedPrices({ version: listed })).rows, []);
  const { models } = await admin.listCatalogModels({});
  const everything = { accountId: "", targetId: "m", action: "price.accept", page: undefined };
  const { records } = await admin.listAuditRecords(everything);
  assert.equal(records.length, 2);
  assert.equal(records[0]?.actor?.id, actor.id);
  const after = JSON.parse(records[0]?.after ?? "") as { price_version: string };
  assert.equal(models[0]?.priceVersion, after.price_version);
});
