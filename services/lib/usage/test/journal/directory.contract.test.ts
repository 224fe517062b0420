import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { waitFor } from "@uag/harness/testing/wait-for";
import { type JournalDirectory, openJournalDirectory } from "../../src/journal/directory.ts";
import type { Journal } from "../../src/journal/journal.ts";
import { readAll, scratch, settings } from "./support.ts";

/** Read at the first operation, so it is set before any test. */
const faults = join(tmpdir(), `disk-faults-${process.pid}`);
process.env["DISK_FAULTS"] = faults;

const here = { node: "aaaaaaaaaaaa", boot: "bbbbbbbbbbbb" };
const rebooted = { ...here, boot: "cccccccccccc" };
const elsewhere = { node: "dddddddddddd", boot: "eeeeeeeeeeee" };

const homeOf = (dir: string, owner: string, kernel = here): Promise<JournalDirectory> =>
  openJournalDirectory({ dir, owner, journal: settings(), kernel });

/** Leaves a journal behind, as a dying process does. */
async function abandonJournal(dir: string, owner: string, kernel = here): Promise<void> {
  const home = await homeOf(dir, owner, kernel);
  const journal = await home.create(`of-${owner}`);
  await journal.append(Buffer.from(owner));
  await journal[Symbol.asyncDispose]();
  await home[Symbol.asyncDispose]();
}

async function takeAll(home: JournalDirectory): Promise<{ id: string; journal: Journal }[]> {
  const taken: { id: string; journal: Journal }[] = [];
  for (const one of await home.abandoned()) {
    if (one.verdict !== "dead") continue;
    const journal = await home.take(one);
    if (journal !== undefined) taken.push({ id: one.id, journal });
  }
  return taken;
}

const verdicts = async (home: JournalDirectory): Promise<string[]> =>
  (await home.abandoned()).map(({ id, verdict }) => `${id} ${verdict}`);

function spawnChild(dir: string, owner: string): ChildProcess {
  return spawn(process.execPath, [join(import.meta.dirname, "child.ts"), dir, owner], {
    stdio: ["ignore", "pipe", "inherit"],
  });
}

test("after kill -9 the next process finds every acknowledged record and adopts the journal exactly once", async () => {
  for (let round = 0; round < 3; round++) {
    await using tmp = await scratch();
    const child = spawnChild(tmp.dir, `dead${round}`);
    let output = "";
    child.stdout?.on("data", (data: Buffer) => {
      output += data.toString();
    });
    await waitFor(() => output.split("\n").length >= 2_000 * (round + 1), { what: "records" });
    const homes = await Promise.all(
      ["a", "b", "c"].map((owner) => openJournalDirectory({ dir: tmp.dir, owner, journal: settings() })),
    );
    assert.deepEqual((await Promise.all(homes.map(verdicts))).flat(), [], "its owner is alive");
    child.kill("SIGSTOP");
    assert.deepEqual((await Promise.all(homes.map(verdicts))).flat(), [], "its owner is only paused");
    child.kill("SIGKILL");
    await once(child, "close");
    const adopted = (await Promise.all(homes.map(takeAll))).flat();
    assert.deepEqual(
      adopted.map(({ id }) => id),
      ["child"],
    );
    const journal = adopted[0]!.journal;
    const found = new Set((await readAll(journal)).map((text) => text.split(" ")[0]));
    const acknowledged = output.slice(0, output.lastIndexOf("\n")).split("\n");
    assert.deepEqual(
      acknowledged.filter((number) => !found.has(number)),
      [],
    );
    await journal.destroy();
    for (const home of homes) await home[Symbol.asyncDispose]();
    assert.deepEqual(await readdir(tmp.dir), []);
  }
});

test("a journal that cannot be opened does not prevent the takeover of others, and is listed again at the next search", async () => {
  await using tmp = await scratch();
  for (const owner of ["p1", "p2", "p3"]) await abandonJournal(tmp.dir, owner);
  const [, broken = ""] = (await readdir(tmp.dir)).filter((name) => name.includes("@")).sort();
  await rm(join(tmp.dir, broken), { recursive: true });
  await writeFile(join(tmp.dir, broken), "no directory");
  await using home = await homeOf(tmp.dir, "next");
  const taken: string[] = [];
  const look = async (): Promise<void> => {
    for (const one of await home.abandoned())
      await home.take(one).then(
        (journal) => taken.push(`${one.id} ${journal?.bytes}`),
        (error: unknown) => taken.push(`${one.id} ${(error as NodeJS.ErrnoException).code}`),
      );
  };
  await look();
  assert.deepEqual(
    taken.sort().map((line) => line.replace(/ \d+$/, " taken")),
    ["of-p1 taken", "of-p2 ENOTDIR", "of-p3 taken"],
  );
  assert.deepEqual(await verdicts(home), ["of-p2 dead"]);
});

test("trusts a lock only under its own kernel, trusts no missing lock, and treats journals from before the machine's last boot as dead", async () => {
  await using tmp = await scratch();
  await abandonJournal(tmp.dir, "same");
  await abandonJournal(tmp.dir, "before", rebooted);
  await abandonJournal(tmp.dir, "other", elsewhere);
  await abandonJournal(tmp.dir, "cleaned");
  await rm(join(tmp.dir, "cleaned.lock"));
  await mkdir(join(tmp.dir, "of-old@old"));
  await using living = await homeOf(tmp.dir, "living", elsewhere);
  await living.create("of-living");
  await using home = await homeOf(tmp.dir, "next");
  assert.deepEqual((await verdicts(home)).sort(), [
    "of-before dead",
    "of-cleaned unsure",
    "of-old unsure",
    "of-other unsure",
    "of-same dead",
  ]);
});

test("a process whose lock was removed does not count as dead, and holds the lock again after its next search", async () => {
  await using tmp = await scratch();
  await using cleaned = await homeOf(tmp.dir, "cleaned");
  await cleaned.create("alive");
  await using other = await homeOf(tmp.dir, "other");
  await rm(join(tmp.dir, "cleaned.lock"));
  assert.deepEqual(await verdicts(other), ["alive unsure"]);
  assert.deepEqual(await verdicts(cleaned), []);
  assert.deepEqual(await verdicts(other), []);
});

test("a process does not adopt a journal again that it is already adopting, sealed or not", async () => {
  await using tmp = await scratch();
  await using home = await homeOf(tmp.dir, "one");
  const journal = await home.create("mine");
  assert.deepEqual(await verdicts(home), []);
  await journal.seal();
  assert.deepEqual(await verdicts(home), []);
  await journal[Symbol.asyncDispose]();
  assert.deepEqual(await verdicts(home), ["mine dead"]);
});

test("syncs a new journal's directory entry before writing to it", async (t) => {
  await using tmp = await scratch();
  t.after(() => rm(faults, { force: true }));
  await using home = await openJournalDirectory({ dir: join(tmp.dir, "journal"), owner: "one", journal: settings() });
  await writeFile(faults, "EIO sync");
  await assert.rejects(home.create("first"), /EIO/);
  await assert.rejects(openJournalDirectory({ dir: join(tmp.dir, "a/b"), owner: "two", journal: settings() }), /EIO/);
  await rm(faults);
  await (await home.create("second")).append(Buffer.from("here"));
});
