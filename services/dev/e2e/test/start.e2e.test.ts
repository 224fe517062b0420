import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { lstat, readdir, readFile, stat } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { withTemporaryDir } from "@uag/harness/fleet/temporary-dir";
import { withFleet } from "@uag/harness/fleet/with-fleet";
import { waitFor } from "@uag/harness/testing/wait-for";
import { dataDirMark } from "@uag/local/data-dir";
import { operatorClient } from "@uag/local/operator";
import { repoRoot } from "@uag/local/paths";
import { type Run, readRun } from "@uag/local/run-file";
import { type Fleet, type FleetOptions, startFleet } from "@uag/local/service";
import { singleName } from "@uag/local/single";
import { taggedProcesses } from "@uag/local/supervisor/tagged";
import { type Account, type AccountServiceServer, AccountServiceService } from "@uag/proto/billing/v1/accounts.ts";

// Starting and stopping do not depend on which services run: billing is enough.
const services = ["billing"];

const start = (dataDir: string, more: Partial<FleetOptions> = {}): Promise<Fleet> =>
  startFleet({ dataDir, services, ...more });

async function readAccount(run: Run): Promise<Account> {
  using accounts = operatorClient<AccountServiceServer>(run, "billing", AccountServiceService);
  return await accounts.getAccount({ id: run.account_id });
}

const running = (dataDir: string): Promise<number[]> => taggedProcesses(dataDirMark, dataDir);

test("a second start finds the same key, balance and addresses, and a stop leaves no process", async () => {
  await withTemporaryDir(async (dir) => {
    const runs: Run[] = [];
    for (let i = 0; i < 2; i++) {
      await using fleet = await start(dir);
      assert.equal((await readAccount(fleet.run)).availableNanoUsd, 100_000_000_000n);
      assert.equal((await stat(join(dir, "run.json"))).mode & 0o777, 0o600);
      runs.push(structuredClone(fleet.run));
      assert.deepEqual((await running(dir)).sort(), Object.values(fleet.run.pids).sort());
    }
    assert.deepEqual(await running(dir), []);
    await assert.rejects(readRun(dir), /No fleet is running/);
    const [first, second] = runs.map(({ pids: _, ...run }) => run);
    assert.deepEqual(second, first);
  });
});

test("only the user who started it can read the data directory", async () => {
  await withTemporaryDir(async (dir) => {
    const dataDir = join(dir, "data");
    await using _ = await startFleet({ dataDir, services: ["billing", "metering", "chat"] });
    const names = await readdir(dataDir, { recursive: true });
    for (const part of ["log/billing.log", "mongo/WiredTiger", "nats/nats.conf"]) assert.ok(names.includes(part), part);
    assert.ok(names.some((name) => name.startsWith("journal/chat/")));
    for (const name of ["", ...names]) {
      // The engines delete their temporary files at any time.
      const found = await lstat(join(dataDir, name)).catch(() => undefined);
      assert.equal((found?.mode ?? 0) & 0o077, 0, name);
    }
  });
});

test("all services run in one process, and serve again after it was killed", async () => {
  await withFleet({ single: true }, async ({ processes, run, client, audit }) => {
    assert.deepEqual(processes.names(), ["mongod", "nats-server", "simulator", singleName]);
    const pid = run.pids[singleName];
    const body = { model: "gpt-4o-mini", messages: [{ role: "user", content: "Hello!" }] };
    assert.equal((await client.post("/v1/chat/completions", body)).status, 200);
    await processes.kill(singleName);
    await processes.ready(singleName);
    assert.notEqual(run.pids[singleName], pid);
    assert.equal((await client.post("/v1/chat/completions", body)).status, 200);
    assert.deepEqual((await audit()).violations, []);
  });
});

test("services in one process cannot have replicas", async () => {
  await withTemporaryDir(async (dir) => {
    await assert.rejects(start(dir, { single: true, replicas: { chat: 2 } }), /cannot have replicas/);
  });
});

test("two fleets run side by side", async () => {
  await withTemporaryDir(async (dir) => {
    const [one, two] = await Promise.all([start(join(dir, "one")), start(join(dir, "two"))]);
    try {
      assert.notEqual(one.run.base_url, two.run.base_url);
      assert.notEqual(one.run.api_key, two.run.api_key);
      assert.equal((await readAccount(one.run)).availableNanoUsd, (await readAccount(two.run)).availableNanoUsd);
    } finally {
      await Promise.all([one.stop(), two.stop()]);
    }
  });
});

test("a data directory or port in use is refused with instructions", async () => {
  await withTemporaryDir(async (dir) => {
    await using _ = await start(dir);
    await assert.rejects(start(dir), /already running .*DATA_DIR=/s);
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const hint = new RegExp(`Port ${port} is taken.*PORT=\\d+ npm start`);
    await assert.rejects(start(join(dir, "other"), { port }), hint);
    server.close();
  });
});

test("every engine and service killed with SIGKILL is restarted with its data, and run.json names the new process", async () => {
  await withTemporaryDir(async (dir) => {
    await using fleet = await start(dir);
    for (const name of fleet.processes.names()) {
      await fleet.processes.kill(name);
      await fleet.processes.ready(name);
      await waitFor(async () => (await readRun(dir)).pids[name] === fleet.processes.pid(name));
    }
    await waitFor(() => fleet.processes.restarts("billing") >= 1);
    const account = await waitFor(() => readAccount(fleet.run).catch(() => undefined));
    assert.equal(account.availableNanoUsd, 100_000_000_000n);
  });
});

/** A fleet in a process of its own; resolves when its run.json exists. */
async function fleetProcess(dataDir: string): Promise<{ host: ChildProcess; run: Run }> {
  const code = `
    import { startFleet } from ${JSON.stringify(join(repoRoot, "services/dev/local/src/service.ts"))};
    await startFleet({ dataDir: ${JSON.stringify(dataDir)}, services: ["billing"] });`;
  const host = spawn(process.execPath, ["--input-type=module", "-e", code], { stdio: ["ignore", "ignore", "inherit"] });
  const run = await waitFor(() => readRun(dataDir).catch(() => undefined), { timeoutMs: 120_000 });
  return { host, run };
}

test("a fleet killed with SIGKILL leaves no process behind, and starts again with its data", async () => {
  await withTemporaryDir(async (dir) => {
    const { host, run } = await fleetProcess(dir);
    host.kill("SIGKILL");
    await waitFor(async () => (await running(dir)).length === 0);
    await using again = await start(dir);
    assert.equal(again.run.api_key, run.api_key);
    assert.equal((await readAccount(again.run)).availableNanoUsd, 100_000_000_000n);
  });
});

test("processes left after the watchdog was killed are ended by the next start", async () => {
  await withTemporaryDir(async (dir) => {
    const { host, run } = await fleetProcess(dir);
    const children = await readFile(`/proc/${host.pid}/task/${host.pid}/children`, "utf8");
    const served = new Set(Object.values(run.pids));
    const watchdog = children
      .split(" ")
      .map(Number)
      .find((pid) => pid > 0 && !served.has(pid));
    process.kill(watchdog ?? 0, "SIGKILL");
    host.kill("SIGKILL");
    await once(host, "exit");
    assert.equal((await running(dir)).length, served.size);
    await using again = await start(dir);
    assert.deepEqual((await running(dir)).sort(), Object.values(again.run.pids).sort());
    assert.equal(again.run.api_key, run.api_key);
  });
});
