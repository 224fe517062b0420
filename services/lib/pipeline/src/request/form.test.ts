import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { BufferBudget } from "@uag/untrusted/buffer-budget";
import { type Form, type FormLimits, readForm } from "./form.ts";

const boundary = "----x";
const type = `multipart/form-data; boundary=${boundary}`;
const lone = { field: "image", besideBytes: 5 * 1024 * 1024, tooLarge: "The image is too large." };
const limits: FormLimits = { maxFiles: 4, maxFileBytes: 1_000_000, lone };
const part = (disposition: string, content: Buffer | string, more = ""): Buffer =>
  Buffer.concat([
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n${more}\r\n`),
    Buffer.from(content),
    Buffer.from("\r\n"),
  ]);
const end = Buffer.from(`--${boundary}--\r\n`);
const form = (...parts: Buffer[]): Buffer => Buffer.concat([...parts, end]);

async function* inPieces(bytes: Buffer, size: () => number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; ) {
    const next = at + Math.max(1, size());
    yield Buffer.from(bytes.subarray(at, next));
    at = next;
    await new Promise(setImmediate);
  }
}

async function read(bytes: Buffer, contentType: string | undefined = type, size = () => 65_536): Promise<Form> {
  const memory = new BufferBudget({ totalBytes: 100_000_000, ownerBytes: 100_000_000 });
  try {
    using lease = memory.open("account");
    return await readForm(inPieces(bytes, size), contentType, { limits, lease });
  } finally {
    assert.equal(memory.held, 0, "memory was not released");
  }
}

async function codeOf(reading: Promise<unknown>): Promise<string> {
  try {
    await reading;
  } catch (error) {
    assert.ok(error instanceof GatewayError, String(error));
    return error.code;
  }
  return assert.fail("the form was accepted");
}

test("parses a form the same however its bytes are split", async () => {
  const picture = Buffer.concat([randomBytes(3_000), Buffer.from(`\r\n--${boundary.slice(0, 4)}`), randomBytes(50)]);
  const bytes = form(
    part('name="prompt"', "a cat 🐈\r\nand a dog"),
    part('name="image[]"; filename="a.png"', picture, "Content-Type: image/png\r\n"),
    part('name="image[]"; filename="../../x"', "second", "Content-Type: application/octet-stream\r\n"),
    part('name="__proto__"', "1"),
    part('name="n"', "1"),
    part('name="n"', "2"),
  );
  for (let round = 0; round < 60; round++) {
    const max = [1, 2, 7, 64, 4_096][round % 5] as number;
    const { files, fields, lists } = await read(bytes, type, () => (round < 5 ? max : Math.ceil(Math.random() * max)));
    assert.deepEqual(
      files.map(({ field }) => field),
      ["image[]", "image[]"],
    );
    const [first] = files;
    assert.ok(first !== undefined && "chunks" in first && Buffer.concat(first.chunks).equals(picture));
    assert.equal(first.size, picture.length);
    assert.equal(fields.get("prompt"), "a cat 🐈\r\nand a dog");
    assert.equal(fields.get("n"), "2", "the last of two counts");
    assert.deepEqual(lists.get("n"), ["1", "2"]);
    assert.equal(({} as Record<string, unknown>)["1"], undefined);
  }
});

const file = part('name="image"; filename="a.png"', "x");
const refused: [what: string, bytes: Buffer, contentType: string | undefined, code: string][] = [
  ["no boundary", form(file), "multipart/form-data", "invalid_request"],
  ["no content type", form(file), "", "invalid_request"],
  ["an empty boundary", form(file), "multipart/form-data; boundary=", "invalid_request"],
  ["a boundary of 10 KB", form(file), `multipart/form-data; boundary=${"b".repeat(10_240)}`, "invalid_request"],
  ["another boundary than declared", form(file), "multipart/form-data; boundary=other", "invalid_request"],
  ["an empty body", Buffer.alloc(0), type, "invalid_request"],
  ["no end", file, type, "invalid_request"],
  ["an end in the middle of a file", form(file).subarray(0, -20), type, "invalid_request"],
  ["an end in the middle of a part's head", form(file).subarray(0, 30), type, "invalid_request"],
  ["bytes that are not a form", randomBytes(5_000), type, "invalid_request"],
  [
    "10,000 fields",
    form(...Array.from({ length: 10_000 }, (_, at) => part(`name="f${at}"`, "1"))),
    type,
    "invalid_request",
  ],
  ["too many files", form(file, file, file, file, file), type, "invalid_request"],
  [
    "a file that is too large",
    form(part('name="image"; filename="a"', randomBytes(1_000_001))),
    type,
    "payload_too_large",
  ],
  ["a field that is too large", form(part('name="prompt"', "x".repeat(300_000))), type, "payload_too_large"],
];
for (const [what, bytes, contentType, code] of refused) {
  test(`rejects a form with ${what}, however it is split`, async () => {
    assert.equal(await codeOf(read(bytes, contentType)), code);
    assert.equal(await codeOf(read(bytes, contentType, () => 1_021)), code);
  });
}

const heads = ['Content-Disposition: form-data; name="a"', "Content-Disposition: form-data", "X: 1", ""];
for (const head of heads) {
  test(`stops parsing 600,000 parts that begin with "${head}" after the first hundred`, async () => {
    const bytes = Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`.repeat(600_000));
    const before = process.threadCpuUsage();
    assert.equal(await codeOf(read(bytes)), "invalid_request");
    const { user, system } = process.threadCpuUsage(before);
    assert.ok(user + system < 200_000, `took ${user + system} us`);
  });
}

test("rejects a file name of 1 MB, and ignores one that traverses folders", async () => {
  const named = (name: string) => form(part(`name="image"; filename="${name}"`, "x"), part('name="prompt"', "y"));
  assert.equal(await codeOf(read(named("a".repeat(1_000_000)))), "invalid_request");
  const { files } = await read(named("../../etc/passwd"));
  assert.deepEqual(files, [{ field: "image", chunks: [Buffer.from("x")], size: 1 }]);
});

test("a randomly corrupted form is parsed or rejected, never more", async () => {
  const good = form(part('name="prompt"', "a"), part('name="image"; filename="a"', randomBytes(400)));
  for (let round = 0; round < 300; round++) {
    const bytes = Buffer.from(good);
    for (let hits = 0; hits < 1 + (round % 4); hits++)
      bytes[Math.floor(Math.random() * bytes.length)] = Math.floor(Math.random() * 256);
    const cut = bytes.subarray(0, Math.floor(Math.random() * (bytes.length + 1)));
    await read(cut, type, () => 1 + Math.floor(Math.random() * 100)).catch((error: unknown) => {
      assert.ok(error instanceof GatewayError, String(error));
    });
  }
});

test("a client that disconnects midway ends the parsing, and its memory is released", async () => {
  const memory = new BufferBudget({ totalBytes: 10_000_000, ownerBytes: 10_000_000 });
  async function* leaving(): AsyncGenerator<Buffer> {
    yield file.subarray(0, file.length - 2);
    yield randomBytes(1_000);
    throw new Error("the client disconnected");
  }
  await assert.rejects(async () => {
    using lease = memory.open("account");
    await readForm(leaving(), type, { limits, lease });
  }, /the client disconnected/);
  assert.equal(memory.held, 0);
});

test("rejects uploads that exceed their memory with a retryable error", async () => {
  const memory = new BufferBudget({ totalBytes: 1_000, ownerBytes: 1_000 });
  using lease = memory.open("account");
  const bytes = form(part('name="image"; filename="a"', randomBytes(2_000)));
  const reading = readForm(
    inPieces(bytes, () => 500),
    type,
    { limits, lease },
  );
  assert.equal(await codeOf(reading), "service_unavailable");
});

test("rejects a single image by its first bytes if the form's length shows that it is too large", async () => {
  const length = limits.maxFileBytes + 6 * 1024 * 1024;
  const begun = (name: string): Buffer => part(`name="${name}"; filename="a.png"`, "x".repeat(100)).subarray(0, -2);
  const requested = async (name: string): Promise<{ code: string; pieces: number }> => {
    let pieces = 0;
    async function* body(): AsyncGenerator<Buffer> {
      yield begun(name);
      for (; pieces < 20; pieces++) yield Buffer.alloc(1_000);
    }
    using lease = new BufferBudget({ totalBytes: 100_000_000, ownerBytes: 100_000_000 }).open("account");
    const code = await codeOf(readForm(body(), type, { limits, length, lease }));
    return { code, pieces };
  };
  assert.deepEqual(await requested("image"), { code: "payload_too_large", pieces: 0 });
  assert.deepEqual(await requested("image[]"), { code: "invalid_request", pieces: 20 });
});
