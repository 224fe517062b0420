import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { newSecret, webhookHeaders } from "../src/secrets/signature.ts";

const run = promisify(execFile);
const library = "standardwebhooks==1.1.0";
const timeout = 120_000;

const program = `
import json, sys
from standardwebhooks.webhooks import Webhook
given = json.load(sys.stdin)
for secret in given["secrets"]:
    print(json.dumps(Webhook(secret).verify(given["body"].encode(), given["headers"])["data"]))
`;

test("the official Python library verifies webhooks under each secret of a rotation", async (context) => {
  const dir = await mkdtemp(join(tmpdir(), "standardwebhooks-"));
  try {
    const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", dir, library];
    const installed = await run("python3", pip, { timeout }).catch((error: Error) => error);
    if (installed instanceof Error) return context.skip("python3 or its package registry is unavailable");
    const secrets = [newSecret(), newSecret()];
    const data = { id: "t", note: "überraschend 🎬" };
    const body = JSON.stringify({ type: "video.generation.succeeded", data });
    const headers = webhookHeaders({ id: "msg_1", timestamp: Math.floor(Date.now() / 1_000), body }, secrets);
    const verifying = run("python3", ["-c", program], { timeout, env: { ...process.env, PYTHONPATH: dir } });
    verifying.child.stdin?.end(JSON.stringify({ secrets, headers, body }));
    const { stdout } = await verifying;
    const reported = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    assert.deepEqual(reported, [data, data]);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});
