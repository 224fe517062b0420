import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, describe, test } from "node:test";
import { adminApi } from "@uag/cli/commands/admin-api";
import { attemptsAt, setFault } from "@uag/harness/fleet/faults";
import { startTestFleet, type TestFleet } from "@uag/harness/fleet/with-fleet";
import { repoRoot } from "@uag/local/paths";

interface Step {
  readonly step: string;
  readonly state: string;
  readonly reason: string | null;
  readonly message: string | null;
  readonly status: number | null;
  readonly code: string | null;
  readonly request_id: string | null;
  readonly duration_ms: number | null;
}
interface Test {
  readonly passed: boolean;
  readonly simulated: boolean;
  readonly credential_id: string | null;
  readonly steps: readonly Step[];
  readonly call: {
    readonly model: string;
    readonly units: Record<string, number>;
    readonly cost_usd: string;
    readonly estimated: boolean;
  } | null;
}
interface OwnModel {
  readonly id: string;
  readonly served_as: readonly string[];
  readonly like: string | null;
  readonly context_tokens: number | null;
  readonly max_output_tokens: number | null;
  readonly prices: readonly { readonly table: string; readonly price: Record<string, number> }[];
}
interface AuditRow {
  readonly action: string;
  readonly target_id: string;
  readonly after: { readonly call?: { readonly cost_usd: string } | null } | null;
}

const inputUsd = 3;
const outputUsd = 7;
const secret = "sk-a-key-of-our-own-server-1234";
const model = {
  operations: ["chat.completions"],
  context_tokens: 128_000,
  max_output_tokens: 4_096,
  price: { input_tokens: inputUsd, output_tokens: outputUsd },
};

describe("tests of providers in the running gateway", () => {
  let fleet: TestFleet;
  let endFault = async (): Promise<void> => {};
  /** A server that accepts connections and does not support TLS. */
  let plain: string;
  const resources = new AsyncDisposableStack();

  before(async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "catalog-"));
    resources.defer(() => rm(dataDir, { recursive: true, force: true }));
    const server = createTcpServer((socket) =>
      socket.on("error", () => {}).once("data", () => socket.end("not TLS\r\n")),
    );
    await once(server.listen(0, "127.0.0.1"), "listening");
    resources.defer(() => void server.close());
    plain = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const services = ["billing", "metering", "chat", "router"] as const;
    const egressAllow = [plain, "127.0.0.1:9", "no-such-host.invalid:443"].join(",");
    fleet = resources.use(await startTestFleet({ dataDir, single: true, services: [...services], egressAllow }));
    await add("own", `${fleet.run.simulator_url}/vendor/v1`);
  });
  after(() => resources.disposeAsync());
  afterEach(async () => {
    await endFault();
    endFault = async () => {};
  });

  const call = async <T>(method: string, path: string, body?: unknown) =>
    (await adminApi(fleet.run).call(method, path, body)) as T;
  const add = (id: string, baseUrl: string) =>
    call("POST", "/providers", { id, template: "openai-compatible", base_url: baseUrl, api_key: secret });
  const addModel = (id: string, upstream: string, more: object = {}) =>
    call("POST", "/models", { id, ...model, upstreams: [{ provider: "own", model: upstream }], ...more });
  const run = (id: string, body: object = {}) => call<Test>("POST", `/providers/${id}/test`, body);
  const stepOf = ({ steps }: Test, name: string): Step => steps.find(({ step }) => step === name) ?? assert.fail(name);
  const states = ({ steps }: Test) => Object.fromEntries(steps.map(({ step, state }) => [step, state]));
  const fault = async (faults: object, path?: string): Promise<void> => {
    endFault = await setFault(fleet.run.simulator_url, faults, { provider: "vendor", ...(path && { path }) });
  };

  const command =
    (name: string) =>
    (args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<{ stdout: string; stderr: string }> =>
      new Promise((resolve) => {
        const file = `services/dev/cli/src/commands/${name}.ts`;
        const options = { cwd: repoRoot, env: { ...process.env, DATA_DIR: fleet.dataDir, ...env } };
        const done = (_: unknown, stdout: string, stderr: string): void => resolve({ stdout, stderr });
        execFile(process.execPath, [file, ...args], options, done).stdin?.end();
      });

  test("a provider without models is tested as far as its list of models, and lists them with what the catalogue serves", async () => {
    const tested = await run("own");
    assert.equal(tested.passed, true);
    assert.equal(tested.call, null);
    assert.deepEqual([stepOf(tested, "models").state, stepOf(tested, "price").reason], ["passed", "no_model"]);
    const { data } = await call<{ data: OwnModel[] }>("GET", "/providers/own/models");
    const kimi = data.find(({ id }) => id === "kimi-k3");
    assert.deepEqual([kimi?.served_as, kimi?.like], [[], "kimi-k3"]);
  });

  test("a model of the provider's list has the price of a table, with which it can be added", async () => {
    const rates = { input_tokens: "0.6", output_tokens: "2.5", cached_input_tokens: "0.15", images: "1" };
    const row = {
      provider: "own",
      model: "kimi-k2-thinking",
      rates,
      context_tokens: 262_144,
      max_output_tokens: 32_768,
    };
    await call("POST", "/prices/tables", { name: "litellm", origin: "litellm 1", prices: [row] });
    const { data } = await call<{ data: OwnModel[] }>("GET", "/providers/own/models");
    const listed = data.find(({ id }) => id === "kimi-k2-thinking") ?? assert.fail();
    const [found] = listed.prices;
    assert.deepEqual(found?.price, { input_tokens: 0.6, output_tokens: 2.5, cached_input_tokens: 0.15 });
    assert.deepEqual([listed.context_tokens, listed.max_output_tokens], [262_144, 32_768]);
    const id = "own/thinking";
    const limits = { context_tokens: listed.context_tokens, max_output_tokens: listed.max_output_tokens };
    await addModel(id, listed.id, { ...limits, price: found?.price });
    const again = await call<{ data: OwnModel[] }>("GET", "/providers/own/models");
    assert.deepEqual(again.data.find(({ id: own }) => own === listed.id)?.served_as, [id]);
    await call("DELETE", `/models/${encodeURIComponent(id)}`);
  });

  test("the cheapest model that the provider lists is called with one output token, at a cost that the audit log records exactly", async () => {
    await addModel("own/expensive", "deepseek-flash", { price: { input_tokens: 30, output_tokens: 70 } });
    await addModel("own/kimi", "kimi-k3");
    await addModel("own/unlisted", "not-in-its-list", { price: { input_tokens: 0.1, output_tokens: 0.1 } });
    const tested = await run("own");
    assert.equal(tested.passed, true, JSON.stringify(tested.steps));
    const { call: made } = tested;
    assert.deepEqual([made?.model, made?.units["output_tokens"], made?.estimated], ["own/kimi", 1, false]);
    const cost = (Number(made?.units["input_tokens"]) * inputUsd + outputUsd) / 1e6;
    assert.equal(Number(made?.cost_usd), cost);
    const { data } = await call<{ data: AuditRow[] }>("GET", "/audit-log?limit=10");
    const rows = data.filter(({ target_id: target }) => target === "own");
    assert.deepEqual(
      rows
        .slice(0, 2)
        .map(({ action }) => action)
        .sort(),
      ["provider.test", "provider.tested"],
    );
    const after = rows.find(({ action }) => action === "provider.tested")?.after;
    assert.equal(after?.call?.cost_usd, made?.cost_usd);
    assert.ok(!JSON.stringify([tested, data]).includes(secret));
  });

  test("a wrong key, a model that is not found, an exhausted account and a slow provider are reported with the provider's status and request id", async () => {
    for (const [faults, reason] of [
      [{ status: 401 }, "wrong_key"],
      [{ status: 403 }, "wrong_key"],
      [{ status: 404 }, "model_not_found"],
      [{ status: 429 }, "rate_limited"],
      [{ status: 500 }, "provider_error"],
      [{ "leak-key": 1 }, "rejected"],
    ] as const) {
      await fault(faults, "/vendor/v1/chat/completions");
      const tested = await run("own");
      const failed = stepOf(tested, "call");
      assert.deepEqual([tested.passed, failed.state, failed.reason], [false, "failed", reason], JSON.stringify(failed));
      assert.ok((failed.status ?? 0) >= 400 && failed.message !== null);
      assert.ok(!JSON.stringify(tested).includes(secret));
      assert.equal(tested.call, null, "a request that the provider refused costs nothing");
      await endFault();
    }
    endFault = await setFault(fleet.run.simulator_url, { status: 429, quota: 1 }, { provider: "openai" });
    assert.equal(stepOf(await run("openai"), "models").reason, "quota");
    await endFault();
    endFault = await setFault(fleet.run.simulator_url, { status: 401 }, { provider: "openai" });
    assert.match(stepOf(await run("openai"), "models").request_id ?? "", /^req_/);
    await endFault();
  });

  test("a key that the provider's list refuses ends the test before a call is made", async () => {
    await fault({ status: 401 }, "/vendor/v1/models");
    const before = (await attemptsAt(fleet.run.simulator_url)).length;
    const tested = await run("own");
    assert.deepEqual([stepOf(tested, "models").reason, stepOf(tested, "call").state], ["wrong_key", "skipped"]);
    assert.equal((await attemptsAt(fleet.run.simulator_url)).length, before + 1);
    await assert.rejects(call("GET", "/providers/own/models"), /did not list its models/);
  });

  test("a name that does not exist, a port that is closed and a server without TLS each fail at their own step", async () => {
    await add("no-name", "https://no-such-host.invalid/v1");
    await add("closed", "https://127.0.0.1:9/v1");
    await add("no-tls", `https://${plain}/v1`);
    const unnamed = await run("no-name");
    assert.deepEqual([stepOf(unnamed, "dns").state, stepOf(unnamed, "connection").state], ["failed", "skipped"]);
    const closed = await run("closed");
    assert.deepEqual([stepOf(closed, "dns").state, stepOf(closed, "connection").state], ["passed", "failed"]);
    const withoutTls = await run("no-tls");
    assert.deepEqual(states(withoutTls), {
      settings: "passed",
      dns: "passed",
      connection: "passed",
      tls: "failed",
      models: "skipped",
      price: "skipped",
      call: "skipped",
    });
  });

  test("a disabled provider and a credential that is not in use can be tested, and a deleted one cannot", async () => {
    const { revision } = await call<{ revision: number }>("GET", "/providers/own");
    await call("PATCH", "/providers/own", { revision, enabled: false });
    assert.equal((await run("own")).passed, true);
    const other = await call<{ id: string }>("POST", "/providers/own/credentials", {
      api_key: "sk-another-key-of-our-server-5678",
      enabled: false,
    });
    assert.equal((await run("own", { credential_id: other.id })).credential_id, other.id);
    assert.notEqual((await run("own")).credential_id, other.id);
    const unknown = await run("own", { credential_id: "cred_unknown" });
    assert.equal(stepOf(unknown, "settings").reason, "not_configured");
    await assert.rejects(run("own", { model: "gpt-4o-mini" }), /serves no model/);
    await call("DELETE", "/providers/own");
    await assert.rejects(run("own"), /does not exist/);
  });

  test("the command line adds a provider with its key from a variable, adds a model of its list, rotates the key and deletes both", async () => {
    const [providers, models] = [command("providers"), command("models")];
    const base = ["--template", "openai-compatible", "--base-url", `${fleet.run.simulator_url}/vendor/v1`];
    const keyed = { OWN_KEY: secret };
    assert.match((await providers(["add", "cli", ...base])).stderr, /No API key was given/);
    assert.match((await providers(["add", "cli", ...base, "--from-env", "OWN_KEY"], keyed)).stdout, /^Added cli at/);
    assert.match((await providers(["models", "cli"])).stdout, /kimi-k3 .*like kimi-k3/);
    const limits = ["--context", "128000", "--max-output", "4096"];
    const prices = ["--price", "input_tokens=0.6", "--price", "output_tokens=2.5"];
    const added = await models(["add", "cli/kimi", "--provider", "cli", "--upstream", "kimi-k3", ...limits, ...prices]);
    assert.equal(added.stdout, "Added cli/kimi.\n", added.stderr);
    assert.match((await providers(["test", "cli"])).stdout, /cli\/kimi was called for 0\.\d+ USD/);
    const rotated = await providers(["rotate", "cli", "--from-env", "OTHER_KEY"], {
      OTHER_KEY: "sk-the-next-key-of-it-9999",
    });
    assert.match(rotated.stdout, /sk-\.\.\.9999\) is in use/, rotated.stderr);
    assert.match((await providers(["keys", "cli"])).stdout, /sk-\.\.\.1234 +no[\s\S]+sk-\.\.\.9999 +yes/);
    await fault({ status: 401 });
    assert.match(
      (await providers(["rotate", "cli", "--from-env", "OWN_KEY"], keyed)).stderr,
      /failed the test and was deleted/,
    );
    await endFault();
    assert.equal((await providers(["keys", "cli"])).stdout.split("\n").length, 4);
    await models(["update", "cli/kimi", "--context", "64000"]);
    await models(["disable", "cli/kimi"]);
    assert.match(
      (await models(["list", "--provider", "cli"])).stdout,
      /cli\/kimi +disabled +runtime +64000 +4096 +cli/,
    );
    assert.match((await models(["delete", "cli/kimi"])).stdout, /was deleted/);
    assert.match((await providers(["delete", "cli"])).stdout, /was deleted/);
    for (const each of [providers, models]) assert.match((await each(["--help"])).stdout, /add </);
  });

  test("exported changes are planned, applied to a fleet that lacks them, and pruned, as the file has them", async () => {
    const catalog = command("catalog");
    const file = join(fleet.dataDir, "changes.yaml");
    const base = { template: "openai-compatible", base_url: `${fleet.run.simulator_url}/vendor/v1` };
    await call("POST", "/providers", { id: "git", ...base });
    await call("POST", "/models", { id: "git/m", ...model, aliases: ["git"], upstreams: [{ provider: "git" }] });
    await call("POST", "/models", { id: "git/like", like: "gpt-4o-mini" });
    const { stdout: exported } = await catalog(["export"]);
    await writeFile(file, exported);
    assert.match((await catalog(["apply", file, "--prune"])).stdout, /^0 changes made/);
    for (const id of ["git/m", "git/like"]) await call("DELETE", `/models/${encodeURIComponent(id)}`);
    const planned = await catalog(["apply", file, "--plan"]);
    assert.match(planned.stdout, /\+ models git\/like[\s\S]+\+ models git\/m[\s\S]+2 changes planned/, planned.stderr);
    assert.match((await catalog(["apply", file])).stdout, /2 changes made/);
    assert.deepEqual((await catalog(["export"])).stdout.split("\n").slice(1), exported.split("\n").slice(1));
    await writeFile(file, "providers: {}\nmodels: { gpt-4o-mini: { display_name: Ours } }\n");
    const pruned = await catalog(["apply", file, "--prune"]);
    assert.match(pruned.stdout, /~ models gpt-4o-mini[\s\S]+- models git\/m[\s\S]+- providers git/, pruned.stderr);
    assert.match(
      (await catalog(["export"])).stdout,
      /models:\n {2}gpt-4o-mini:\n {4}display_name: Ours\nproviders: \{\}\n$/,
    );
  });

  test("a provider that the simulator replaces says so", async () => {
    const tested = await run("openai");
    assert.deepEqual(
      [tested.passed, tested.simulated, tested.credential_id],
      [true, true, null],
      JSON.stringify(tested.steps),
    );
    assert.ok(Number(tested.call?.cost_usd) > 0);
  });
});
