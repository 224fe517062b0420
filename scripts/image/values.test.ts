import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { parse } from "yaml";
import { digestValues } from "./values.ts";

const digestOf = (letter: string): string => `sha256:${letter.repeat(64)}`;

async function written(t: TestContext, contents: readonly object[]): Promise<string[]> {
  const dir = await mkdtemp(join(tmpdir(), "values-"));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const files = contents.map((_, index) => join(dir, `${index}.json`));
  await Promise.all(contents.map((content, index) => writeFile(files[index] as string, JSON.stringify(content))));
  return files;
}

test("the values of pushed images have the digests that the registry reported, billing's also for MongoDB's companion", async (t) => {
  const files = await written(t, [
    { "containerimage.digest": digestOf("a"), "image.name": "registry.example.com:5000/uag/chat:1.0.0" },
    { "containerimage.digest": digestOf("b"), "image.name": "registry.example.com/uag/billing" },
  ]);
  assert.deepEqual(parse(await digestValues(files)), {
    chat: { image: { digest: digestOf("a") } },
    billing: { image: { digest: digestOf("b") } },
    mongodb: { companion: { image: { digest: digestOf("b") } } },
  });
});

test("a build that was not pushed, and an image of no service, are refused", async (t) => {
  const [local = "", other = ""] = await written(t, [
    { "image.name": "uag/chat" },
    { "containerimage.digest": digestOf("a"), "image.name": "uag/other:1" },
  ]);
  await assert.rejects(digestValues([local]), /has no containerimage\.digest/);
  await assert.rejects(digestValues([other]), /is the image of no service/);
});
