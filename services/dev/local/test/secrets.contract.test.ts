import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { withTemporaryDir } from "@uag/harness/fleet/temporary-dir";
import { loadSecrets } from "../src/secrets.ts";

test("a new data directory has three independent secrets, and keeps them", async () => {
  await withTemporaryDir(async (dir) => {
    const made = await loadSecrets(dir);
    const { key_pepper: pepper, webhook_key: webhooks, assets_secret: assets } = made;
    const derived = ["webhooks", "assets"].map((use) => createHmac("sha256", pepper).update(use).digest("hex"));
    assert.equal(new Set([pepper, webhooks.current, assets.current, ...derived]).size, 5);
    assert.deepEqual([webhooks.previous, assets.previous], [[], []]);
    assert.deepEqual(await loadSecrets(dir), made);
  });
});

test("an older data directory keeps its values as previous secrets", async () => {
  await withTemporaryDir(async (dir) => {
    const old = { key_pepper: "ab".repeat(32), admin: { email: "a", password: "b", token: "c" } };
    await writeFile(join(dir, "secrets.json"), JSON.stringify(old));
    const loaded = await loadSecrets(dir);
    const derived = (use: string): string => createHmac("sha256", old.key_pepper).update(use).digest("hex");
    assert.equal(loaded.key_pepper, old.key_pepper);
    assert.deepEqual(
      [loaded.webhook_key.previous, loaded.assets_secret.previous],
      [[derived("webhooks")], [derived("assets")]],
    );
    assert.notEqual(loaded.webhook_key.current, derived("webhooks"));
    assert.deepEqual(await loadSecrets(dir), loaded);
  });
});
