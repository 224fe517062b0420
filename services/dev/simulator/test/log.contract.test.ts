import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { LogPage } from "../src/log/truth-log.ts";
import { startSimulator } from "../src/service.ts";
import { logged, rawPost, send } from "./support.ts";

const path = "/openai/v1/chat/completions";
const main = new URL("../src/main.ts", import.meta.url).pathname;
let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "simulator-"));
});
after(() => rm(folder, { recursive: true }));

function chat(model: string, content: string, stream = true): object {
  return { model, messages: [{ role: "user", content }], stream };
}

test("an entry records the request and the response", async () => {
  await using simulator = await startSimulator();
  const { headers, text } = await send(simulator, path, chat("gpt-4o--sim-slow-1", "say: hi", false), {
    "x-request-id": "r-1",
  });
  await send(simulator, path, chat("gpt-4o", "say: hi", true), { "x-client-request-id": "r-2" });
  const [first, second] = await logged(simulator, 2);
  assert.equal(first?.request_id, "r-1");
  assert.equal(second?.request_id, "r-2");
  assert.equal(first?.upstream_request_id, headers.get("x-request-id"));
  assert.equal(first?.answer_id, JSON.parse(text).id);
  assert.deepEqual(first?.usage, JSON.parse(text).usage);
  assert.deepEqual(
    [first?.provider, first?.operation, first?.model, first?.requested_model],
    ["openai", "chat.completions", "gpt-4o", "gpt-4o--sim-slow-1"],
  );
  assert.deepEqual([first?.stream, second?.stream, first?.delivered.content_tokens], [false, true, 1]);
  assert.equal(first?.request_hash, second?.request_hash);
  assert.equal(first?.delivered.bytes, Buffer.byteLength(text));
  const found = JSON.parse((await send(simulator, "/sim/log?request_id=r-2", undefined)).text);
  assert.deepEqual(
    found.entries.map((entry: { seq: number }) => entry.seq),
    [2],
  );
  assert.doesNotMatch(JSON.stringify(simulator.log.page({ since: 0, limit: 9 })), /good/);
});

test("a client that does not read stops the generation, and the log has what was written", async () => {
  await using simulator = await startSimulator();
  const socket = await rawPost(simulator, path, chat("gpt-4o--sim-huge-64", "x"));
  socket.pause();
  const written = async () => JSON.parse((await send(simulator, "/sim/stats", undefined)).text).open[0]?.bytes ?? 0;
  let bytes = 0;
  for (let last = -1; bytes === 0 || bytes !== last; ) {
    last = bytes;
    await new Promise((resolve) => setTimeout(resolve, 150));
    bytes = await written();
  }
  assert.ok(bytes > 0 && bytes < 32 * 1_048_576, `${bytes} bytes were sent to a client that reads none`);
  socket.destroy();
  const [entry] = await logged(simulator, 1);
  assert.deepEqual([entry?.outcome, entry?.delivered.bytes, entry?.usage], ["disconnected", bytes, null]);
  assert.ok((entry?.blocked_ms ?? 0) > 0);
});

test("stats count requests in flight by model and key, and their maximum", async () => {
  await using simulator = await startSimulator();
  const sockets = [];
  for (let i = 0; i < 3; i++) sockets.push(await rawPost(simulator, path, chat("gpt-4o--sim-hang", "x")));
  const stats = async () => JSON.parse((await send(simulator, "/sim/stats", undefined)).text);
  while ((await stats()).in_flight.now < 3) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.deepEqual((await stats()).models, { "gpt-4o": { now: 3, max: 3 } });
  for (const socket of sockets) socket.destroy();
  const entries = await logged(simulator, 3);
  assert.deepEqual(entries.map((entry) => entry.concurrency.model).sort(), [1, 2, 3]);
  const { in_flight, totals } = await stats();
  assert.deepEqual([in_flight, totals.by_outcome], [{ now: 0, max: 3 }, { disconnected: 3 }]);
});

test("serves a thousand slow streams concurrently, and logs what each received", async () => {
  await using simulator = await startSimulator();
  const body = chat("gpt-4o--sim-slow-5--sim-stall-21", "repeat 40 words");
  const sockets = await Promise.all(Array.from({ length: 1000 }, () => rawPost(simulator, path, body)));
  for (const socket of sockets) socket.resume();
  for (let ready = 0; ready < 1000; ) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    const { open } = JSON.parse((await send(simulator, "/sim/stats", undefined)).text);
    ready = open.filter((attempt: { chunks: number }) => attempt.chunks === 21).length;
  }
  for (const socket of sockets) socket.destroy();
  const entries = await logged(simulator, 1000);
  assert.ok(entries.every((entry) => entry.outcome === "disconnected" && entry.delivered.content_tokens === 20));
});

test("rejects a body above the limit without reading it", async () => {
  await using simulator = await startSimulator({ maxBodyBytes: 500 });
  const response = await send(simulator, path, chat("gpt-4o", "x".repeat(1000)));
  assert.equal(response.status, 413);
  const [entry] = await logged(simulator, 1);
  assert.deepEqual([entry?.status, entry?.model], [413, null]);
});

async function startProcess(): Promise<{
  url: string;
  port: number;
  kill(signal: NodeJS.Signals): Promise<number | null>;
}> {
  const child = spawn(process.execPath, [main], {
    env: { ...process.env, PORT: "0", DATA_DIR: folder },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(child.stdout, "data");
  const url = /http:\S+/.exec(String(line))?.[0] ?? "";
  return {
    url,
    port: Number(new URL(url).port),
    async kill(signal) {
      const exited = once(child, "exit");
      child.kill(signal);
      return (await exited)[0];
    },
  };
}

test("the log survives a kill, which marks the attempt in flight as lost; SIGTERM ends it cleanly", async () => {
  const killed = await startProcess();
  const headers = { authorization: "Bearer good" };
  const post = (content: string, model: string, stream: boolean) =>
    fetch(killed.url + path, { method: "POST", headers, body: JSON.stringify(chat(model, content, stream)) });
  await (await post("say: whole", "gpt-4o", false)).text();
  const broken = await post("say: broken", "gpt-4o--sim-stall-1", true);
  const reader = broken.body?.getReader();
  await reader?.read();
  await killed.kill("SIGKILL");
  await reader?.cancel().catch(() => undefined);

  const again = await startProcess();
  const page = (await (await fetch(`${again.url}/sim/log`)).json()) as LogPage;
  assert.deepEqual(
    page.entries.map((entry) => [entry.seq, entry.outcome]),
    [
      [1, "completed"],
      [2, "lost"],
    ],
  );
  assert.equal(await again.kill("SIGTERM"), 0);
});
