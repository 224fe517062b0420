import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { waitFor } from "@uag/harness/testing/wait-for";
import { Ports } from "../src/ports.ts";
import { respondsOk } from "../src/supervisor/health.ts";
import { LogFile } from "../src/supervisor/log-file.ts";
import type { ProcessSpec } from "../src/supervisor/process.ts";
import { Supervisor } from "../src/supervisor/supervisor.ts";
import { taggedProcesses } from "../src/supervisor/tagged.ts";

const program = (code: string): [string, ...string[]] => [process.execPath, "-e", code];
const idle = "setInterval(() => {}, 1000)";
const env = { PATH: process.env["PATH"] ?? "" };

function spec(name: string, code: string, more: Partial<ProcessSpec> = {}): ProcessSpec {
  return { name, command: program(code), env, cwd: tmpdir(), isReady: async () => true, ...more };
}

async function temporaryDir(): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), "fleet-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test("a process killed with SIGKILL is restarted and reported in one line", async () => {
  await using dir = await temporaryDir();
  const lines: string[] = [];
  await using supervisor = Supervisor.start({ logDir: dir.path, report: (line) => lines.push(line) });
  await supervisor.add(spec("idle", idle));
  await supervisor.ready("idle");
  const first = supervisor.pid("idle");
  await supervisor.kill("idle");
  await waitFor(() => supervisor.restarts("idle") === 1 && supervisor.pid("idle") !== undefined);
  assert.notEqual(supervisor.pid("idle"), first);
  assert.deepEqual(lines, ["idle ended (SIGKILL); restarting in 100 ms"]);
});

test("waiting for a process that cannot start fails with the end of its log", async () => {
  await using dir = await temporaryDir();
  await using supervisor = Supervisor.start({ logDir: dir.path, report: () => {} });
  await supervisor.add(
    spec("broken", "console.error('no such setting'); process.exit(3)", { isReady: async () => false }),
  );
  await assert.rejects(supervisor.ready("broken"), /broken keeps ending[\s\S]*no such setting/);
});

test("waiting for a missing program fails", async () => {
  await using dir = await temporaryDir();
  await using supervisor = Supervisor.start({ logDir: dir.path, report: () => {} });
  await supervisor.add(spec("missing", "", { command: [join(dir.path, "nothing")] }));
  await assert.rejects(supervisor.ready("missing"), /missing keeps ending/);
});

test("each process writes to its own log, and the previous run's log is kept", async () => {
  await using dir = await temporaryDir();
  for (const word of ["first", "second"]) {
    await using supervisor = Supervisor.start({ logDir: dir.path, report: () => {} });
    await supervisor.add(spec("talker", `console.log("${word}"); ${idle}`));
    await waitFor(async () => (await readFile(join(dir.path, "talker.log"), "utf8")) === `${word}\n`);
  }
  assert.equal(await readFile(join(dir.path, "talker.log.1"), "utf8"), "first\n");
});

test("the log of a process that logs endlessly has a bounded size, and lines are lost only where it was rotated", async () => {
  await using dir = await temporaryDir();
  const path = join(dir.path, "talker.log");
  const limits = { maxBytes: 100_000, parts: 2, everyMs: 5 };
  await using log = await LogFile.open(path, limits);
  // The last line is written when the rotation of the lines before it has ended.
  const code = `let n = 0; const t = setInterval(() => { for (let i = 0; i < 20; i++) console.log("line " + n++); if (n >= 100_000) { clearInterval(t); setTimeout(() => console.log("the end"), 1_000); } }, 1)`;
  const child = spawn(process.execPath, ["-e", code], { stdio: ["ignore", log.fd, log.fd] });
  await once(child, "exit");
  await waitFor(async () => (await stat(path)).size < limits.maxBytes);
  const names = (await readdir(dir.path)).sort();
  assert.deepEqual(names, ["talker.log", "talker.log.1", "talker.log.2"]);
  const texts = await Promise.all(names.reverse().map((name) => readFile(join(dir.path, name), "utf8")));
  assert.ok(texts.join("").length < 5 * limits.maxBytes, `${texts.map((text) => text.length)} bytes`);
  assert.ok(texts.join("").endsWith("the end\n"));
  const parts = texts.map((text) => [...text.matchAll(/^line (\d+)$/gm)].map((match) => Number(match[1])));
  for (const part of parts) {
    assert.ok(
      part.every((n, i) => i === 0 || n === (part[i - 1] ?? 0) + 1),
      "the lines of a part are complete, unique and in order",
    );
  }
  const all = parts.flat();
  assert.ok(
    all.every((n, i) => i === 0 || n > (all[i - 1] ?? 0)),
    "no line is in two parts",
  );
});

test("a process with a blocked event loop is killed and restarted, but not one that starts slowly", async () => {
  await using dir = await temporaryDir();
  const port = await (await Ports.load(join(dir.path, "ports.json"))).get("stuck");
  const serve = `require("http").createServer((q, r) => { if (q.url === "/block") for (;;); r.end(); }).listen(${port}, "127.0.0.1")`;
  const url = `http://127.0.0.1:${port}`;
  // It is checked so rarely that its event loop is blocked before the first check.
  const liveness = { isAlive: () => respondsOk(url, 1_000), everyMs: 300, misses: 3 };
  const lines: string[] = [];
  await using supervisor = Supervisor.start({ logDir: dir.path, report: (line) => lines.push(line) });
  await supervisor.add(spec("stuck", `setTimeout(() => { ${serve} }, 1_000)`, { liveness, isReady: liveness.isAlive }));
  await supervisor.ready("stuck");
  assert.equal(supervisor.restarts("stuck"), 0);
  // It never gets a response; with a shorter timeout it might not have been sent on a busy machine.
  void respondsOk(`${url}/block`, 10_000);
  await waitFor(() => supervisor.restarts("stuck") === 1);
  await supervisor.ready("stuck");
  assert.deepEqual(lines, [
    "stuck no longer responds and will be killed",
    "stuck ended (SIGKILL); restarting in 100 ms",
  ]);
});

test("a process that does not respond while it stops gets its full time to stop", async () => {
  await using dir = await temporaryDir();
  const port = await (await Ports.load(join(dir.path, "ports.json"))).get("draining");
  const out = join(dir.path, "drained");
  const drain = `server.close(); server.closeAllConnections(); setTimeout(() => { require("fs").writeFileSync(${JSON.stringify(out)}, "yes"); process.exit(0); }, 1_500)`;
  const code = `const server = require("http").createServer((q, r) => r.end()).listen(${port}, "127.0.0.1"); process.on("SIGTERM", () => { ${drain} });`;
  const isAlive = () => respondsOk(`http://127.0.0.1:${port}`, 5_000);
  const lines: string[] = [];
  await using supervisor = Supervisor.start({ logDir: dir.path, report: (line) => lines.push(line) });
  const options = { liveness: { isAlive, everyMs: 50, misses: 3 }, isReady: isAlive, stopMs: 60_000 };
  await supervisor.add(spec("draining", code, options));
  await supervisor.ready("draining");
  await supervisor.stop("draining");
  assert.deepEqual(lines, []);
  assert.equal(await readFile(out, "utf8"), "yes");
});

test("processes stop in reverse order, one after another", async () => {
  await using dir = await temporaryDir();
  const out = join(dir.path, "order");
  const slow = (name: string): string =>
    `process.on("SIGTERM", () => setTimeout(() => { require("fs").appendFileSync(${JSON.stringify(out)}, "${name} "); process.exit(0) }, 50)); console.log("up"); ${idle}`;
  {
    await using supervisor = Supervisor.start({ logDir: dir.path, report: () => {} });
    for (const name of ["one", "two", "three"]) {
      await supervisor.add(spec(name, slow(name)));
      await waitFor(async () => (await readFile(join(dir.path, `${name}.log`), "utf8")) === "up\n");
    }
  }
  assert.equal(await readFile(out, "utf8"), "three two one ");
});

/**
 * A supervisor in a process of its own, which prints the ids of its processes: its child and its
 * grandchild.
 */
async function supervisorProcess(logDir: string): Promise<{ host: ChildProcess; pids: number[] }> {
  const child = `const c = require("child_process").spawn(process.execPath, ["-e", "process.on('SIGTERM', () => {}); ${idle}"]); console.log(c.pid); ${idle}`;
  const code = `
    import { Supervisor } from ${JSON.stringify(join(import.meta.dirname, "../src/supervisor/supervisor.ts"))};
    const supervisor = Supervisor.start({ logDir: ${JSON.stringify(logDir)}, report: () => {} });
    await supervisor.add({ name: "tree", command: [process.execPath, "-e", ${JSON.stringify(child)}], env: { PATH: process.env.PATH }, cwd: "/", isReady: async () => true });
    await supervisor.ready("tree");
    console.log(supervisor.pid("tree"));
    setInterval(() => {}, 1000);`;
  const host = spawn(process.execPath, ["--input-type=module", "-e", code], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(host.stdout, "data")) as [Buffer];
  const log = join(logDir, "tree.log");
  const grandchild = await waitFor(async () => Number(await readFile(log, "utf8").catch(() => "")) || undefined);
  return { host, pids: [Number(line), grandchild] };
}

test("a supervisor killed with SIGKILL leaves no process, not even a grandchild that ignores SIGTERM", async () => {
  await using dir = await temporaryDir();
  const { host, pids } = await supervisorProcess(dir.path);
  assert.deepEqual(pids.map(isAlive), [true, true]);
  const [pid = 0] = pids;
  const environment = await readFile(`/proc/${pid}/environ`, "utf8");
  const mark = /FLEET_ID=([\w-]+)/.exec(environment)?.[1] ?? "";
  assert.equal((await taggedProcesses("FLEET_ID", mark)).length, 2);
  host.kill("SIGKILL");
  await waitFor(async () => (await taggedProcesses("FLEET_ID", mark)).length === 0);
});
