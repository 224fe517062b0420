import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { access, chmod, cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { mendNode } from "./fallback-node.mjs";

const packaged = `node_modules/node-${process.platform}-${process.arch}/bin/node`;
const inScripts = "node_modules/.bin/node";
const missing = "libatomic.so.1: cannot open shared object file";

/** A checkout whose packaged Node says that a library is missing, as the loader does. */
async function checkout(t: TestContext): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), "fallback-node-"));
  t.after(() => rm(root, { recursive: true }));
  for (const file of [packaged, inScripts]) {
    await mkdir(dirname(join(root, file)), { recursive: true });
    await writeFile(join(root, file), `#!/bin/sh\necho "${missing}" >&2\nexit 127\n`);
    await chmod(join(root, file), 0o755);
  }
  await cp(new URL("../fallback-node", import.meta.url), join(root, "scripts/fallback-node"), { recursive: true });
  return root;
}

const versionOf = (root: string): string => execFileSync(join(root, packaged), ["--version"], { encoding: "utf8" });

test("where the packaged Node does not run, the pinned Node 24 takes its place, and scripts find the machine's own", async (t) => {
  const root = await checkout(t);
  await mendNode(root);
  assert.match(versionOf(root), /^v24\./);
  await assert.rejects(access(join(root, inScripts)), { code: "ENOENT" });
  await mendNode(root);
  assert.match(versionOf(root), /^v24\./);
});

test("where no other Node can be fetched, the user is told which package to install, and nothing is left half done", async (t) => {
  const root = await checkout(t);
  const before = { ...process.env };
  t.after(() => {
    process.env = before;
  });
  Object.assign(process.env, {
    npm_config_registry: "http://127.0.0.1:1/",
    npm_config_cache: join(root, "cache"),
    npm_config_fetch_retries: "0",
  });
  await assert.rejects(mendNode(root), { name: "Advice", message: /apt-get install libatomic1/ });
  await assert.rejects(access(join(root, ".data/fallback-node")), { code: "ENOENT" });
});
