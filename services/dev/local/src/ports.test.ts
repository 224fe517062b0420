import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { withTemporaryDir } from "@uag/harness/fleet/temporary-dir";
import { Ports } from "./ports.ts";

test("a fleet keeps a port while its process is down, and releases it at its end", async () => {
  await withTemporaryDir(async (dir) => {
    const mine = await Ports.load(join(dir, "mine.json"));
    const port = await mine.get("billing");
    await writeFile(join(dir, "other.json"), JSON.stringify({ chat: port }));
    {
      using other = await Ports.load(join(dir, "other.json"));
      assert.notEqual(await other.get("chat"), port);
    }
    mine[Symbol.dispose]();
    await writeFile(join(dir, "other.json"), JSON.stringify({ chat: port }));
    using later = await Ports.load(join(dir, "other.json"));
    assert.equal(await later.get("chat"), port);
  });
});

test("the next start uses the same ports", async () => {
  await withTemporaryDir(async (dir) => {
    const names = ["router", "billing", "chat"];
    const chosen: number[][] = [];
    for (let start = 0; start < 2; start++) {
      using ports = await Ports.load(join(dir, "ports.json"));
      const found: number[] = [];
      for (const name of names) found.push(await ports.get(name));
      chosen.push(found);
    }
    assert.deepEqual(chosen[0], chosen[1]);
    assert.equal(new Set(chosen[0]).size, names.length);
  });
});

test("twenty fleets that choose concurrently share no port", async () => {
  await withTemporaryDir(async (dir) => {
    const fleets = await Promise.all(Array.from({ length: 20 }, (_, n) => Ports.load(join(dir, `${n}.json`))));
    const chosen = await Promise.all(fleets.map((ports) => ports.get("router")));
    for (const ports of fleets) ports[Symbol.dispose]();
    assert.equal(new Set(chosen).size, fleets.length);
  });
});
