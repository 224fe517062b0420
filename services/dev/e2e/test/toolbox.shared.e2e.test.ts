import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { openSharedFleet } from "@uag/harness/fleet/shared-fleet";
import { repoRoot } from "@uag/local/paths";

const program = join(repoRoot, "services/dev/cli/src/uag.ts");

test("the toolbox's commands operate on a gateway by its addresses, without its files", async () => {
  const { run, client } = await openSharedFleet();
  const body = { model: "gpt-4o-mini", messages: [{ role: "user", content: "Hello!" }] };
  assert.equal((await client.post("/v1/chat/completions", body)).status, 200);
  const env = {
    PATH: process.env["PATH"],
    ADMIN_TOKEN: run.admin.token,
    BILLING_ADDR: run.grpc["billing"],
    METERING_ADDR: run.grpc["metering"],
    TLS_CERT_FILE: run.tls.cert_file,
    TLS_KEY_FILE: run.tls.key_file,
    TLS_CA_FILE: run.tls.ca_file,
    NATS_URL: run.nats_url,
    NATS_USER: run.nats_user,
    NATS_PASSWORD: run.nats_password,
    DATA_DIR: "/nonexistent",
  };
  const uag = async (...args: string[]): Promise<string> =>
    (await promisify(execFile)(process.execPath, [program, "--admin-url", run.admin_url, ...args], { env })).stdout;
  assert.match(await uag("audit"), /^exact$/m);
  assert.match(await uag("archive", "list"), /MONTH/);
  assert.match(await uag("dead-letters", "list"), /No dead letters/);
  assert.match(await uag("dead-letters", "replay"), /^0 messages replayed$/m);
  assert.match(await uag("keys", "list", "--account", run.account_id), new RegExp(run.account_id));
  assert.match(await uag("ledger", "list", "--account", run.account_id), /top_up/);
  assert.match(await uag("ledger", "repair", "--dry-run"), /No request is unpriced|REQUEST/);
  await assert.rejects(uag("ledger", "list"), /--account is missing/);
  await assert.rejects(uag("nothing"), /Unknown command "nothing"/);
  env.METERING_ADDR = undefined;
  await assert.rejects(uag("archive", "list"), /This command needs METERING_ADDR/);
});
