import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { adminApi } from "@uag/cli/commands/admin-api";
import { withFleet } from "@uag/harness/fleet/with-fleet";
import { waitFor } from "@uag/harness/testing/wait-for";
import { repoRoot } from "@uag/local/paths";

const at = `base_url: "\${OPENAI_BASE_URL}", api_key: "\${OPENAI_API_KEY}", simulator: /openai/v1`;
const catalog = `
providers:
  openai: { protocol: openai, ${at} }
models:
  - id: gpt-4o-mini
    owned_by: x
    created: 0
    operations: [chat.completions]
    context_tokens: 128000
    max_output_tokens: 16384
    price: { input_tokens: 0.15, output_tokens: 0.6 }
    upstreams: [{ provider: openai }]
`;
const liteLlm = (output: string): string =>
  `{"gpt-4o-mini":{"input_cost_per_token":1.5e-7,"output_cost_per_token":${output},"source":"https://vendor/pricing"}}`;
const genai = (output: string): string =>
  `[{"id":"openai","models":[{"id":"gpt-4o-mini","prices":{"input_mtok":"0.15","output_mtok":"${output}"}}]}]`;
const ask = { model: "gpt-4o-mini", messages: [{ role: "user", content: "hi" }] };

interface Event {
  readonly price_version: string;
}
interface AuditRow {
  readonly action: string;
  readonly target_id: string;
  readonly actor: { readonly name: string };
  readonly after: { readonly reason: string; readonly price_version: string } | null;
}

test("an accepted price is charged within seconds, and is in the receipt and the audit log; no price is applied automatically", async () => {
  const dir = await mkdtemp(join(tmpdir(), "prices-"));
  const file = join(dir, "catalog.yaml");
  await writeFile(file, catalog);
  const tables = async (one: string, other: string): Promise<string[]> => {
    await writeFile(join(dir, "litellm.json"), liteLlm(one));
    await writeFile(join(dir, "genai.json"), genai(other));
    return ["--litellm", `file:${join(dir, "litellm.json")}`, "--genai-prices", `file:${join(dir, "genai.json")}`];
  };
  await withFleet({ single: true, env: { CATALOG_FILE: file } }, async ({ run, dataDir, client }) => {
    const prices = (...args: string[]): Promise<{ code: number; out: string }> =>
      new Promise((resolve) => {
        const env = { ...process.env, DATA_DIR: dataDir, CATALOG_FILE: file };
        const argv = ["services/dev/cli/src/commands/prices.ts", ...args];
        execFile(process.execPath, argv, { cwd: repoRoot, env }, (error, stdout, stderr) =>
          resolve({ code: Number(error?.code ?? 0), out: stdout + stderr }),
        );
      });
    const api = adminApi(run);
    const versionOfNext = async (): Promise<string> => {
      const { headers } = await client.post("/v1/chat/completions", ask);
      const id = headers.get("x-request-id") ?? "";
      let version = "";
      await waitFor(
        async () => {
          const found = (await api.call("GET", `/usage/events/${id}`).catch(() => undefined)) as
            | { event: Event }
            | undefined;
          version = found?.event.price_version ?? "";
          return version !== "";
        },
        { what: "the receipt" },
      );
      return version;
    };

    const listed = await versionOfNext();
    assert.match((await prices("diff")).out, /litellm has not been fetched yet/);
    await prices("fetch", ...(await tables("4e-7", "0.4")));
    const shown = await prices("diff");
    assert.match(shown.out, /gpt-4o-mini +output_tokens +0\.6 +0\.4 +0\.4 +-33\.33 .*changed/);
    assert.match(shown.out, /https:\/\/vendor\/pricing/);
    assert.equal(await readFile(file, "utf8"), catalog, "fetch and diff change nothing");

    const accepted = await prices("accept", "gpt-4o-mini", "--by", "Ada");
    assert.equal(accepted.code, 0, accepted.out);
    let version = listed;
    await waitFor(
      async () => {
        version = await versionOfNext();
        return version !== listed;
      },
      { what: "a receipt with the accepted price" },
    );
    const audit: AuditRow[] = [];
    await waitFor(
      async () => {
        for await (const row of api.rows("/audit-log", { action: "price.accept" })) audit.push(row as AuditRow);
        return audit.length > 0;
      },
      { what: "the row of the audit log about a price that the file has" },
    );
    assert.deepEqual(
      audit.map(({ target_id, actor, after }) => [target_id, actor.name, after?.price_version]),
      [["gpt-4o-mini", "Ada", version]],
    );

    await prices("fetch", ...(await tables("2e-7", "0.3")));
    assert.match((await prices("accept", "gpt-4o-mini")).out, /Nothing to accept.*--from/);
    const unsure = await prices("accept", "gpt-4o-mini", "--from", "litellm");
    assert.equal(unsure.code, 1);
    assert.match(unsure.out, /Only litellm has 0\.2.*\n.*at least halves.*\n.*repeat it with --confirm/);
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const sure = await prices("accept", "gpt-4o-mini", "--from", "litellm", "--confirm", "--effective-from", later);
    assert.equal(sure.code, 0, sure.out);
    assert.equal(await versionOfNext(), version, "a future price is not in force yet");
    assert.equal((await prices("list")).out.trim().split("\n").length, 3);
  });
  await rm(dir, { recursive: true });
});
