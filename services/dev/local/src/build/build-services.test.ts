import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { versionOfSources } from "./build-services.ts";

test("every changed, added or removed source makes a new build, a changed test does not", async () => {
  const root = await mkdtemp(join(tmpdir(), "build-"));
  await using _ = { [Symbol.asyncDispose]: () => rm(root, { recursive: true }) };
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
    // Files written within one tick of the file system's clock have the same time.
    await utimes(join(root, path), 1, 1);
  };
  const source = "services/lib/usage/src/lease.ts";
  await write(source, "1");
  await write("gateway/src/main.ts", "1");
  await write("gateway/package.json", "1");
  await write("services/chat/test/chat.e2e.test.ts", "1");
  const versions = [await versionOfSources(root)];
  const change = async (made: Promise<unknown>): Promise<void> => {
    await made;
    versions.push(await versionOfSources(root));
  };
  await change(write("services/chat/test/chat.e2e.test.ts", "12"));
  assert.equal(versions[1], versions[0]);
  await change(write(source, "12"));
  await change(utimes(join(root, source), 2, 2));
  await change(write("gateway/package.json", "12"));
  await change(write("services/chat/src/new.ts", "1"));
  await change(write("pnpm-lock.yaml", "1"));
  await change(rm(join(root, "gateway/src/main.ts")));
  assert.equal(new Set(versions).size, versions.length - 1);
});
