import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { signedReceipt } from "@uag/contract/responses/receipts";
import { newKey } from "@uag/harness/fleet/limited-key";
import { openSharedFleet, type SharedFleet } from "@uag/harness/fleet/shared-fleet";
import { waitFor } from "@uag/harness/testing/wait-for";
import { repoRoot } from "@uag/local/paths";

describe("signed receipts", () => {
  let fleet: SharedFleet;
  let folder: string;
  let requestId: string;
  let cost: string | null;
  let receipt: Record<string, unknown>;

  before(async () => {
    fleet = await openSharedFleet();
    folder = await mkdtemp(join(tmpdir(), "receipts-"));
    const body = { model: "gpt-4o-mini", messages: [{ role: "user", content: "Hello!" }] };
    const { headers } = await fleet.client.post("/v1/chat/completions", body);
    requestId = headers.get("x-request-id") ?? "";
    cost = headers.get("x-gateway-cost-usd");
    await waitFor(
      async () => {
        const found = await fleet.client.get(`/v1/receipts/${requestId}`);
        if (found.status !== 200) return false;
        receipt = found.json();
        return true;
      },
      { what: "the receipt" },
    );
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** Runs `npm run verify` on a receipt, with the published keys in a file. */
  const verify = async (of: object): Promise<{ code: number; out: string }> => {
    const [file, keys] = [join(folder, "receipt.json"), join(folder, "keys.json")];
    await writeFile(file, JSON.stringify(of));
    await writeFile(keys, (await fleet.client.get("/.well-known/jwks.json")).text);
    return await new Promise((resolve) => {
      const argv = ["services/dev/cli/src/commands/verify.ts", file, "--keys", keys];
      execFile(process.execPath, argv, { cwd: repoRoot }, (error, stdout, stderr) =>
        resolve({ code: Number(error?.code ?? 0), out: stdout + stderr }),
      );
    });
  };

  test("a key reads the receipt of its request, whose items add up to the cost that its response had", () => {
    const { request_id: id, cost_usd: shown, items } = signedReceipt.parse(receipt);
    assert.deepEqual([id, shown], [requestId, cost]);
    const atto = items.reduce((sum, item) => sum + BigInt((item.cost_usd ?? "").replace(".", "")), 0n);
    assert.equal((atto + 999_999n) / 1_000_000n, BigInt((cost ?? "").replace(".", "")));
  });

  test("the receipt verifies offline, and a changed one does not", async () => {
    const { code, out } = await verify(receipt);
    assert.equal(code, 0, out);
    assert.match(out, new RegExp(`Valid: ${requestId}, chat.completions of gpt-4o-mini, ${cost} USD`));
    for (const change of [{ cost_usd: "0.000000001" }, { note: "paid" }]) {
      const changed = await verify({ ...receipt, ...change });
      assert.equal(changed.code, 1);
      assert.match(changed.out, /a field was changed/);
    }
  });

  test("neither another key of the account nor an unknown id gets a receipt", async () => {
    const { client } = await newKey(fleet, {}, String(receipt["account_id"]));
    for (const [path, of] of [
      [`/v1/receipts/${requestId}`, client],
      ["/v1/receipts/req_unknown", fleet.client],
    ] as const) {
      const { status, json } = await of.get(path);
      assert.equal(status, 404, path);
      assert.equal(json<{ error: { code: string } }>().error.code, "not_found");
    }
  });
});
