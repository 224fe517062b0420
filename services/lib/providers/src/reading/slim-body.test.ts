import assert from "node:assert/strict";
import { test } from "node:test";
import { UpstreamFailure } from "../failure.ts";
import { decodedBase64 } from "./base64.ts";
import { CutLists } from "./cut-lists.ts";
import { withoutLongData } from "./slim-body.ts";

const mebi = 1024 * 1024;
const picture = "A1b2".repeat(mebi);
const unusable = (error: unknown): boolean => error instanceof UpstreamFailure && error.kind === "transient";

/** The number of turns of the event loop until a promise is settled. */
async function turnsOf(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  const count = (): void => {
    turns++;
    counting = setImmediate(count);
  };
  let counting = setImmediate(count);
  await work.finally(() => clearImmediate(counting));
  return turns;
}

test("cuts images out of a response, and restores them in what is parsed and in what is written", async () => {
  const data = [
    { b64_json: picture, n: 1 },
    { url: `data:image/png;base64,${picture}` },
    { text: "a b ".repeat(mebi / 2) },
  ];
  const body = Buffer.from(JSON.stringify({ data }, undefined, 2));
  const lists = new CutLists();
  const slim = await withoutLongData(body, lists);
  assert.ok(slim.length < 3 * mebi, `${slim.length} bytes are left`);
  const parsed = JSON.parse(slim.toString("utf8"));
  assert.deepEqual(await lists.withTexts(parsed), { data });
  const written = await lists.restore(Buffer.from(JSON.stringify({ twice: [parsed, parsed] })));
  assert.deepEqual(JSON.parse(written.toString("utf8")), { twice: [{ data }, { data }] });
});

test("returns a response without long base64 unchanged", async () => {
  const body = Buffer.from(JSON.stringify({ content: "a text. ".repeat(mebi / 2) }));
  assert.equal(await withoutLongData(body, new CutLists()), body);
});

test("rejects a response of more than 8 MiB without its images, or with data inside a text", async () => {
  const text = "a b ".repeat(2 * mebi + 1);
  await assert.rejects(withoutLongData(Buffer.from(JSON.stringify({ text, picture })), new CutLists()), unusable);
  const lists = new CutLists();
  const slim = await withoutLongData(Buffer.from(JSON.stringify({ picture })), lists);
  const { picture: mark } = JSON.parse(slim.toString("utf8")) as { picture: string };
  await assert.rejects(lists.restore(Buffer.from(JSON.stringify({ text: `an image: ${mark}` }))), unusable);
});

test("reads and decodes 64 MiB in turns of a few MiB each", async () => {
  const body = Buffer.from(JSON.stringify({ data: "A1b2".repeat(16 * mebi) }));
  const lists = new CutLists();
  const reading = withoutLongData(body, lists);
  assert.ok((await turnsOf(reading)) >= 2);
  const { data } = JSON.parse((await reading).toString("utf8")) as { data: string };
  const base64 = lists.textOf(data) ?? assert.fail("the data was not cut out");
  const decoding = decodedBase64(base64);
  assert.ok((await turnsOf(decoding)) >= 64);
  assert.equal((await decoding).toString("base64"), "A1b2".repeat(16 * mebi));
});
