import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { adminApi } from "@uag/cli/commands/admin-api";
import { videoListQuery } from "@uag/contract/requests/queries";
import { billingUsageQuery } from "@uag/contract/requests/usage";
import { type AdminRoute, adminRoutes } from "@uag/contract/routes";
import { type TestFleet, withFleet } from "@uag/harness/fleet/with-fleet";
import { waitFor } from "@uag/harness/testing/wait-for";
import { findMongod } from "@uag/local/engines/find";
import { mongodProcess, mongodUrl } from "@uag/local/engines/mongod";
import { binDir } from "@uag/local/paths";
import { Ports } from "@uag/local/ports";
import { Supervisor } from "@uag/local/supervisor/supervisor";
import { adminOperations } from "@uag/router/openapi/admin";
import { MongoClient } from "mongodb";

const lists = adminRoutes.filter(({ method, path }) => method === "GET" && !path.includes(":"));
/** Of the public API's lists. */
const publicFields = [...Object.keys(videoListQuery.shape), ...Object.keys(billingUsageQuery.shape)];

/** Fields that select a page, an order or a format, and no rows. */
const pageFields = new Set(["limit", "after", "cursor", "sort", "format", "top", "bucket", "group_by"]);

/** A UTC day, so many days ago. */
function dayBefore(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
}

/** Values of filter fields that are not ids. */
const values: Readonly<Record<string, string>> = {
  from: dayBefore(1),
  until: dayBefore(0),
  to: dayBefore(0),
  state: "failed",
  reason: "rate_limit_exceeded",
  action: "key.update",
  status: "200",
  outcome: "completed",
  error_code: "upstream_error",
  min_cost_usd: "1",
  min_duration_ms: "1",
  include_revoked: "true",
};

/** Lists whose filters bound the rows read: by a unique index, or by a maximum per account. */
const bounded: ReadonlySet<string> = new Set([
  // An account and a position in its ledger, or the two entries of a request.
  "admin.ledger.read",
  // At most 100 of an account.
  "admin.alerts.list",
  // At most 100 of an account's 10,000, by an index.
  "admin.budgets.list",
  // At most 100 of a budget, found with a time limit, which no end user reaches without charges.
  "admin.budgets.end_users",
  // At most 100, by an index of ids or of ends.
  "admin.envelopes.list",
  // At most a few of an account.
  "admin.webhooks.secrets.list",
]);

interface Listed {
  readonly data: readonly unknown[];
}

const password = "test-password-of-all-users";

/** A MongoDB server whose operations with a time limit can be made to exceed it. */
async function startMongod(stack: AsyncDisposableStack): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "time-limits-"));
  stack.defer(() => rm(dir, { recursive: true, force: true }));
  const ports = stack.use(await Ports.load(join(dir, "ports.json")));
  const port = await ports.get("mongod");
  const engine = await findMongod({ binDir });
  const spec = await mongodProcess({ engine, port, dbPath: join(dir, "mongo"), passwordOf: () => password });
  const supervisor = stack.use(Supervisor.start({ logDir: join(dir, "log"), report: () => undefined }));
  await supervisor.add({ ...spec, command: [...spec.command, "--setParameter", "enableTestCommands=1"] });
  await supervisor.ready(spec.name);
  const url = new URL(mongodUrl(port, "operator", password));
  // Otherwise the drivers' monitors, whose long polls exceed the limit too, repeat them without a pause.
  url.searchParams.set("serverMonitoringMode", "poll");
  return url.href;
}

/** The queries of a list that filter its rows, one per field. */
function queriesOf({ operation }: AdminRoute, { account_id: account }: TestFleet["run"]): string[] {
  const fields = Object.keys(adminOperations[operation]?.query ?? {});
  const usual = fields.includes("account") ? { account } : {};
  const filters = fields.filter((name) => !pageFields.has(name));
  return filters.map((name) =>
    new URLSearchParams({ ...usual, [name]: name === "account" ? account : (values[name] ?? "some_1") }).toString(),
  );
}

/** The query fields of a target's route. */
function fieldsOf(target: string): string[] {
  const { operation } = lists.find(({ path }) => target.startsWith(`${path}?`)) ?? {};
  return operation === undefined ? publicFields : Object.keys(adminOperations[operation]?.query ?? {});
}

test("each list with filters has a time limit, and beyond it an error that names a field to change", async () => {
  await using stack = new AsyncDisposableStack();
  const mongodbUrl = await startMongod(stack);
  await withFleet({ mongodbUrl, single: true }, async ({ run, client }) => {
    const mongo = stack.use(await MongoClient.connect(mongodbUrl));
    const exceed = (mode: string) => mongo.db("admin").command({ configureFailPoint: "maxTimeAlwaysTimeOut", mode });
    const targets = [
      ...lists
        .filter(({ operation }) => !bounded.has(operation))
        .flatMap((route) => queriesOf(route, run).map((query) => `${route.path}?${query}`)),
      "/v1/videos/generations?status=failed",
      "/v1/videos/generations?model=m",
      "/v1/dashboard/billing/usage?start_date=2026-01-01",
    ];
    assert.ok(targets.length > 40, String(targets.length));
    // Usage is searched once there is some.
    await client.post("/v1/chat/completions", { model: "gpt-4o-mini", messages: [{ role: "user", content: "hi" }] });
    await waitFor(async () => ((await adminApi(run).call("GET", "/usage/events")) as Listed).data.length > 0, {
      what: "the usage event",
    });
    await exceed("alwaysOn");
    const wrong: string[] = [];
    for (const target of targets) {
      const authorization = `Bearer ${target.startsWith("/admin/") ? run.admin.token : run.api_key}`;
      const response = await fetch(run.base_url + target, { headers: { authorization } });
      const text = await response.text();
      const { message = "", param = "" } = text.startsWith('{"error"') ? JSON.parse(text).error : {};
      const clear = /^The search did not end within \d+ s\. [A-Z].*\.$|Request fewer days\.$/.test(message);
      if (response.status !== 400 || !clear || !fieldsOf(target).includes(param))
        wrong.push(`${target} ${response.status} ${text.slice(0, 300)}`);
    }
    assert.deepEqual(wrong, []);
    await exceed("off");
    assert.equal((await client.get("/v1/videos/generations?status=failed")).status, 200);
  });
});
