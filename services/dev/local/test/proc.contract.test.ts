import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { test } from "node:test";
import { hasVariable, processesWith, statOf } from "../src/terminal/proc.mjs";
import { processesByPs, statByPs, variableByPs } from "../src/terminal/ps.mjs";

const readers = {
  "/proc": { statOf, hasVariable, processesWith },
  ps: { statOf: statByPs, hasVariable: variableByPs, processesWith: processesByPs },
};

/** A process that runs until the end of the test. */
async function started(env: Record<string, string>, args: readonly string[] = []) {
  const code = "process.stdout.write('up'); setInterval(() => {}, 1000)";
  const child: ChildProcess = spawn(process.execPath, ["-e", code, ...args], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (child.stdout !== null) await once(child.stdout, "data");
  const end = async () => {
    if (child.kill("SIGKILL")) await once(child, "exit");
  };
  return { pid: child.pid ?? 0, [Symbol.asyncDispose]: end };
}

for (const [name, reader] of Object.entries(readers)) {
  test(`${name} returns the parent and a constant start time of a running process, and none of an ended one`, async () => {
    await using child = await started({});
    const stat = reader.statOf(child.pid);
    assert.equal(stat?.parent, process.pid);
    assert.equal(stat?.isZombie, false);
    assert.deepEqual(reader.statOf(child.pid), stat);
    await child[Symbol.asyncDispose]();
    assert.equal(reader.statOf(child.pid), undefined);
  });

  test(`${name} finds only processes whose environment has exactly the value, including spaces`, async () => {
    const value = `/a folder/${randomUUID()}`;
    await using it = await started({ MARK: value, OTHER: "1" });
    await using last = await started({ OTHER: "1", MARK: value });
    await using longer = await started({ MARK: `${value} too`, OTHER: "1" });
    await using argument = await started({ OTHER: "1" }, [`MARK=${value}`, "OTHER=1"]);
    assert.deepEqual(new Set(await reader.processesWith("MARK", value)), new Set([it.pid, last.pid]));
    const named = [it, last, longer, argument].map(({ pid }) => reader.hasVariable(pid, "MARK"));
    assert.deepEqual(named, [true, true, true, false]);
  });
}
