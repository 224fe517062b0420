import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createTestClient } from "@uag/harness/fleet/client";
import { waitFor } from "@uag/harness/testing/wait-for";
import { dataDirMark } from "@uag/local/data-dir";
import { repoRoot } from "@uag/local/paths";
import { Ports } from "@uag/local/ports";
import { type Run, readRun } from "@uag/local/run-file";
import { taggedProcesses } from "@uag/local/supervisor/tagged";

interface Started {
  readonly child: ChildProcess;
  readonly env: NodeJS.ProcessEnv;
  readonly dataDir: string;
  readonly run: Run;
  /** Its output so far. */
  output(): string;
}

/** Runs a command as a terminal does: Ctrl-C reaches its process group. */
function type(
  command: readonly [string, ...string[]],
  env: NodeJS.ProcessEnv,
): { child: ChildProcess; output(): string } {
  const [file, ...args] = command;
  const child = spawn(file, args, { cwd: repoRoot, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (text += chunk));
  return { child, output: () => text };
}

async function runToEnd(
  command: readonly [string, ...string[]],
  env: NodeJS.ProcessEnv,
): Promise<{ code: number; text: string }> {
  const { child, output } = type(command, env);
  const [code] = (await once(child, "close")) as [number];
  return { code, text: output() };
}

async function withStarted(
  command: readonly [string, ...string[]],
  work: (started: Started) => Promise<void>,
  more: NodeJS.ProcessEnv = {},
): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), "npm-start-"));
  const port = await (await Ports.load(join(dataDir, "test-ports.json"))).get("PORT");
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
  const env = { ...inherited, PORT: String(port), DATA_DIR: dataDir, ...more };
  const { child, output } = type(command, env);
  try {
    const run = await waitFor(
      () => {
        assert.equal(child.exitCode ?? child.signalCode, null, output());
        return readRun(dataDir).catch(() => undefined);
      },
      { timeoutMs: 120_000, what: "run.json" },
    );
    await work({ child, env, dataDir, run, output });
    await waitFor(async () => (await taggedProcesses(dataDirMark, dataDir)).length === 0);
  } finally {
    if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid ?? 0), "SIGKILL");
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** A line of a service's log of the level `warn` or above. */
const warning = /^\{"level":[4-6]0,/;

/** The warnings and errors in the logs of all services. */
async function warningsOf(dataDir: string): Promise<string[]> {
  const dir = join(dataDir, "log");
  const texts = await Promise.all((await readdir(dir)).map((name) => readFile(join(dir, name), "utf8")));
  const lines = texts.flatMap((text) => text.split("\n"));
  assert.ok(
    lines.some((line) => line.includes('"billing is up"')),
    "the logs were read",
  );
  return lines.filter((line) => warning.test(line));
}

const question = { model: "gpt-4o-mini", messages: [{ role: "user", content: "Hello!" }] };

test("npm start logs no warning and prints a working request, the commands work, and Ctrl-C leaves no process", async () => {
  await withStarted(["npm", "start"], async ({ child, env, dataDir, run, output }) => {
    await waitFor(() => output().includes("Ctrl-C stops everything"));
    assert.match(output(), /^(?:(?:npm|>) .*\n|\n)*Starting the gateway …\n/, "the first line of the output");
    for (const value of [run.base_url, run.api_key]) assert.ok(output().includes(value));
    for (const [name, url] of Object.entries({ Console: run.console_url, MCP: run.mcp_url })) {
      const served = (await fetch(url)).status !== 404;
      assert.equal(output().includes(`${name} `), served, `the banner lists exactly the running services: ${name}`);
    }
    const client = createTestClient({ baseUrl: run.base_url, apiKey: run.api_key });
    assert.equal((await client.post("/v1/chat/completions", question)).status, 200);
    assert.deepEqual(await warningsOf(dataDir), [], "warnings and errors of an ordinary start");

    const created = await runToEnd(["npm", "run", "-s", "keys", "--", "create", "--name", "second"], env);
    const [, id = ""] = /(key_\w+) for/.exec(created.text) ?? [];
    const [secret = ""] = /sk-\w+/.exec(created.text) ?? [];
    const second = createTestClient({ baseUrl: run.base_url, apiKey: secret });
    const [curl = ""] = /^curl .*$/m.exec(created.text) ?? [];
    assert.match(
      (await runToEnd(["sh", "-c", curl], env)).text,
      /"object":\s*"chat.completion"/,
      "the printed snippet works",
    );
    assert.equal((await second.get("/v1/models")).status, 200);
    assert.match((await runToEnd(["npm", "run", "-s", "keys", "--", "list"], env)).text, new RegExp(`${id} .*second`));
    assert.equal((await runToEnd(["npm", "run", "-s", "keys", "--", "revoke", id], env)).code, 0);
    await waitFor(async () => (await second.get("/v1/models")).status === 401);

    const logs = await runToEnd(["npm", "run", "-s", "logs", "--", "--service", "billing", "--no-follow"], env);
    assert.match(logs.text, /^\d\d:\d\d:\d\d\.\d{3} info /m);
    assert.match(
      (await runToEnd(["npm", "run", "-s", "logs", "--", "--service", "x"], env)).text,
      /Available logs: auditor, billing, /,
    );

    const audit = await runToEnd(["npm", "run", "-s", "audit"], env);
    assert.match(audit.text, /2 requests billed by its usage[\s\S]*\nexact\n$/);
    assert.equal(audit.code, 0);

    process.kill(-(child.pid ?? 0), "SIGINT");
    await once(child, "close");
    assert.match(output(), /Stopping\.\s*$/);
    assert.match((await runToEnd(["npm", "run", "-s", "audit"], env)).text, /No fleet is running/);
  });
});

test("a proxy in the environment is not used for calls on this machine", async () => {
  const nowhere = "http://127.0.0.1:9";
  const proxies = { https_proxy: nowhere, http_proxy: nowhere, grpc_proxy: nowhere, NODE_USE_ENV_PROXY: "1" };
  const start = async ({ run, child, env }: Started): Promise<void> => {
    const client = createTestClient({ baseUrl: run.base_url, apiKey: run.api_key });
    assert.equal((await client.post("/v1/chat/completions", question)).status, 200);
    const keys = await runToEnd(["npm", "run", "-s", "keys", "--", "list"], env);
    assert.match(keys.text, /^ID +KEY /);
    child.kill("SIGTERM");
    await once(child, "exit");
  };
  await withStarted(["node", "scripts/start.mjs"], start, proxies);
});

test("SIGTERM to npm alone stops everything", async () => {
  await withStarted(["npm", "start"], async ({ child }) => {
    child.kill("SIGTERM");
    await once(child, "exit");
  });
});

test("Ctrl-C and SIGTERM end it cleanly with exit code 0", async () => {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    await withStarted(["node", "scripts/start.mjs"], async ({ child }) => {
      process.kill(-(child.pid ?? 0), signal);
      assert.deepEqual(await once(child, "exit"), [0, null]);
    });
  }
});

test("everything stops when the parent program is killed with SIGKILL", async () => {
  await withStarted(["node", "scripts/start.mjs"], async ({ child }) => {
    child.kill("SIGKILL");
    await once(child, "exit");
  });
});

test("every command has a help text", async () => {
  const commands = [
    ["npm", "start", "-s", "--", "--help"],
    ["npm", "test", "-s", "--", "--help"],
    ["npm", "run", "-s", "check", "--", "--help"],
    ["npm", "run", "-s", "audit", "--", "--help"],
    ["npm", "run", "-s", "keys", "--", "--help"],
    ["node", "scripts/run.mjs", "services/dev/cli/src/commands/topup.ts", "--help"],
  ] as const;
  for (const command of commands) {
    const { code, text } = await runToEnd(command, process.env);
    assert.equal(code, 0, `${command.join(" ")}: ${text}`);
    assert.match(text, /^(npm|node) [\s\S]{80,}/);
  }
  const wrong = await runToEnd(["npm", "run", "-s", "keys", "--", "--nonsense"], process.env);
  assert.equal(wrong.code, 1);
  assert.match(wrong.text, /^\s*Unknown option '--nonsense'/);
});
