import assert from "node:assert/strict";
import type { PathLike } from "node:fs";
import { type FileHandle, open, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { waitFor } from "@uag/harness/testing/wait-for";
import { Journal } from "../../src/journal/journal.ts";
import { readAll, scratch, settings } from "./support.ts";

test("reads appended records back in order, over many segments and after reopening", async () => {
  await using tmp = await scratch();
  const expected = Array.from({ length: 500 }, (_, n) => `record ${n} ${"z".repeat(n % 97)}`);
  {
    await using journal = await Journal.open(tmp.dir, settings({ segmentBytes: 4_096 }));
    for (let n = 0; n < expected.length; n += 10) {
      await Promise.all(expected.slice(n, n + 10).map((text) => journal.append(Buffer.from(text))));
    }
    assert.ok(journal.segment > 5);
    assert.deepEqual(await readAll(journal), expected);
  }
  await using journal = await Journal.open(tmp.dir, settings());
  assert.deepEqual(await readAll(journal), expected);
  await journal.append(Buffer.from("one more"));
  assert.deepEqual(await readAll(journal), [...expected, "one more"]);
});

test("trim deletes only whole segments before the position, and never the last", async () => {
  await using tmp = await scratch();
  await using journal = await Journal.open(tmp.dir, settings({ segmentBytes: 1_024 }));
  for (let n = 0; n < 40; n++) await journal.append(Buffer.alloc(100, 1));
  await journal.trim(3);
  assert.equal(journal.start.segment, 3);
  await journal.trim(1_000);
  assert.deepEqual(journal.start.segment, journal.segment);
  assert.equal((await readdir(tmp.dir)).length, 1);
});

test("a lazily appended record reaches the disk even if no other record follows", async () => {
  await using tmp = await scratch();
  await using journal = await Journal.open(tmp.dir, settings());
  void journal.appendLazy(Buffer.from("checkpoint"));
  // A segment's header reaches the disk before its first record.
  await waitFor(async () => (await readAll(journal)).length > 0, { what: "a record" });
  assert.deepEqual(await readAll(journal), ["checkpoint"]);
});

test("a full journal reports its state and still writes appended records", async () => {
  await using tmp = await scratch();
  await using journal = await Journal.open(tmp.dir, settings({ maxBytes: 2_000, segmentBytes: 512 }));
  for (let n = 0; n < 30; n++) await journal.append(Buffer.alloc(100, 2));
  assert.equal(journal.state, "full");
  assert.equal((await journal.check()).ok, false);
  assert.equal((await readAll(journal)).length, 30);
  await journal.trim(journal.segment);
  assert.equal(journal.state, "ok");
});

test("truncates a torn tail, loses and reports only a damaged record, and quarantines a file without a header", async () => {
  await using tmp = await scratch();
  {
    await using journal = await Journal.open(tmp.dir, settings());
    for (const text of ["first", "second", "third"]) await journal.append(Buffer.from(text));
  }
  const path = join(tmp.dir, "000001.seg");
  const bytes = await readFile(path);
  bytes.write("S", bytes.indexOf("second"));
  await writeFile(path, Buffer.concat([bytes, bytes.subarray(16, 30)]));
  {
    const seen = settings();
    await using journal = await Journal.open(tmp.dir, seen);
    assert.equal(journal.bytes, bytes.length);
    assert.deepEqual(await readAll(journal), ["first", "third"]);
    assert.equal(seen.damages.length, 1);
  }
  await writeFile(
    path,
    Buffer.alloc(bytes.length).map((_, n) => n),
  );
  const seen = settings();
  await using journal = await Journal.open(tmp.dir, seen);
  assert.deepEqual(await readAll(journal), []);
  assert.deepEqual(seen.damages, [{ path, offset: 0, bytes: bytes.length }]);
  assert.deepEqual(await readdir(tmp.dir), ["000001.seg.bad"]);
});

test("random cuts and bit flips never throw and never yield a record that was not written", async () => {
  for (let round = 0; round < 40; round++) {
    await using tmp = await scratch();
    const written = new Set(Array.from({ length: 60 }, (_, n) => `${round}/${n} ${"q".repeat(n)}`));
    {
      await using journal = await Journal.open(tmp.dir, settings({ segmentBytes: 1_024 }));
      for (const text of written) await journal.append(Buffer.from(text));
    }
    for (const name of await readdir(tmp.dir)) {
      const path = join(tmp.dir, name);
      let bytes = await readFile(path);
      if (Math.random() < 0.3) bytes = bytes.subarray(0, Math.floor(Math.random() * bytes.length));
      for (let n = 0; n < 2 && bytes.length > 0; n++) {
        const at = Math.floor(Math.random() * bytes.length);
        bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << Math.floor(Math.random() * 8)), at);
      }
      await writeFile(path, bytes);
    }
    await using journal = await Journal.open(tmp.dir, settings());
    for (const text of await readAll(journal)) assert.ok(written.has(text), text);
  }
});

test("a full disk fails pending appends and the health check, and later appends succeed once space is free", async () => {
  await using tmp = await scratch();
  let room = true;
  const openFile = async (path: PathLike, flags: number): Promise<FileHandle> => {
    if (!room) throw Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
    const file = await open(path, flags);
    const write = file.write.bind(file) as (...args: unknown[]) => Promise<unknown>;
    const limited = async (bytes: Uint8Array, offset: number, length: number, position: number): Promise<unknown> => {
      if (room) return write(bytes, offset, length, position);
      await write(bytes, offset, Math.min(length, 7), position);
      throw Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
    };
    return Object.assign(file, { write: limited });
  };
  const seen = settings({ openFile });
  {
    await using journal = await Journal.open(tmp.dir, seen);
    await journal.append(Buffer.from("before"));
    room = false;
    await assert.rejects(journal.append(Buffer.from("refused")), /ENOSPC/);
    await assert.rejects(journal.append(Buffer.from("refused too")), /ENOSPC/);
    assert.equal(journal.state, "failed");
    assert.equal((await journal.check()).ok, false);
    room = true;
    await waitFor(() => journal.state !== "failed", { what: "room again" });
    await journal.append(Buffer.from("after"));
    assert.deepEqual(await readAll(journal), ["before", "after"]);
  }
  await using journal = await Journal.open(tmp.dir, seen);
  assert.deepEqual(await readAll(journal), ["before", "after"]);
  assert.deepEqual([seen.damages.length, seen.failures.length], [0, 1]);
});
