import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Ports } from "@uag/local/ports";
import { installPython, run } from "./tool.ts";

const version = "5.2.5";
const startTimeoutMs = 60_000;

/**
 * Runs the contract test of hosted files with moto's S3 server, which shares no code with the
 * test's own server.
 */
export async function s3Server(dir: string): Promise<void> {
  const venv = join(dir, "moto");
  await installPython(venv, [`moto[s3,server]==${version}`]);
  const port = await (await Ports.load(join(dir, "moto-ports.json"))).get("moto");
  const url = `http://127.0.0.1:${port}`;
  const server = spawn(join(venv, "bin/moto_server"), ["-H", "127.0.0.1", "-p", String(port)], { stdio: "ignore" });
  const ended = once(server, "exit");
  try {
    await createBucket(`${url}/assets-test`);
    const top = join(import.meta.dirname, "../..");
    const env = { ...process.env, TEST_S3_URL: url };
    await run("npm", ["test", "--", "media/test/assets.contract"], { cwd: top, env, maxBuffer: 16 * 1024 * 1024 });
  } finally {
    server.kill();
    await ended;
  }
  process.stdout.write(`moto ${version}: hosted files are stored in S3 and returned unchanged\n`);
}

async function createBucket(url: string): Promise<void> {
  for (const deadline = performance.now() + startTimeoutMs; ; ) {
    const response = await fetch(url, { method: "PUT" }).catch(() => undefined);
    if (response?.ok === true) return;
    if (performance.now() > deadline) throw new Error(`the S3 server did not create the bucket: ${response?.status}`);
    await sleep(200);
  }
}
