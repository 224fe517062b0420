import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sharp from "sharp";
import { type MediaSpec, mediaUrl } from "../src/media/url.ts";
import { type Simulator, startSimulator } from "../src/service.ts";
import { movieOf } from "./mp4.ts";
import { logged } from "./support.ts";
import { download } from "./task-support.ts";

let simulator: Simulator;
before(async () => {
  simulator = await startSimulator();
});
after(() => simulator.close());

const digest = "0123456789abcdef";
const soon = () => Math.floor(Date.now() / 1000) + 60;
const caption = "A boat, 5% off: “là”?";
const video = { kind: "video", digest, width: 1280, height: 720, seconds: 5, sound: true } as const;

function urlOf(spec: MediaSpec, traits: { expires?: number; slow?: number } = {}): string {
  return mediaUrl(spec, { origin: simulator.url, expires: soon(), ...traits });
}

for (const [width, height, seconds, sound] of [
  [832, 480, 5, true],
  [1080, 1920, 2, false],
  [704, 704, 12.5, true],
] as const) {
  test(`an MP4 is ${width} x ${height} and ${seconds} s long by its headers`, async () => {
    const movie = movieOf(await download(urlOf({ ...video, width, height, seconds, sound })));
    assert.deepEqual([movie.width, movie.height, movie.sound], [width, height, sound]);
    assert.ok(Math.abs(movie.seconds - seconds) < 0.05, `${movie.seconds}`);
  });
}

test("images decode completely at the size in their URL", async () => {
  for (const format of ["png", "jpeg", "webp"] as const) {
    const bytes = await download(urlOf({ kind: "image", digest, caption, width: 1328, height: 512, format }));
    const { info } = await sharp(bytes, { failOn: "error" }).raw().toBuffer({ resolveWithObject: true });
    assert.deepEqual([info.width, info.height], [1328, 512]);
  }
});

test("an image contains its caption, and another caption changes the image", async () => {
  const picture = async (words: string): Promise<Buffer> =>
    sharp(await download(urlOf({ kind: "image", digest, caption: words, width: 512, height: 512, format: "png" })))
      .extract({ left: 0, top: 400, width: 512, height: 112 })
      .greyscale()
      .raw()
      .toBuffer();
  const [one, other, none] = await Promise.all([picture("A boat"), picture("A goat"), picture("")]);
  const dark = (pixels: Buffer): number => pixels.filter((level) => level < 40).length;
  const light = (pixels: Buffer): number => pixels.filter((level) => level > 240).length;
  assert.ok(dark(one) > 300 && light(one) > 5_000, "no letters on a light band");
  assert.ok(!one.equals(other) && !one.equals(none));
});

test("the same URL returns the same bytes, and any range of them", async () => {
  const url = urlOf(video);
  const whole = await download(url);
  assert.ok(whole.equals(await download(url)));
  for (const [range, from, to] of [
    ["bytes=0-99", 0, 100],
    ["bytes=100-", 100, whole.length],
    ["bytes=-10", whole.length - 10, whole.length],
    ["bytes=10-999999999", 10, whole.length],
  ] as const) {
    const response = await fetch(url, { headers: { range } });
    assert.equal(response.status, 206);
    assert.equal(response.headers.get("content-range"), `bytes ${from}-${to - 1}/${whole.length}`);
    assert.ok(Buffer.from(await response.arrayBuffer()).equals(whole.subarray(from, to)));
  }
  const beyond = await fetch(url, { headers: { range: `bytes=${whole.length}-` } });
  assert.equal(beyond.status, 416);
});

test("an expired URL or a changed query is a 403, an unknown name a 404", async () => {
  const expired = await fetch(urlOf(video, { expires: soon() - 120 }));
  assert.deepEqual([expired.status, /expired/.test(await expired.text())], [403, true]);
  const longer = new URL(urlOf(video));
  longer.searchParams.set("Expires", String(soon() + 1000));
  assert.equal((await fetch(longer)).status, 403);
  assert.equal((await fetch(`${simulator.url}/media/video/x.mp4?Expires=${soon()}`)).status, 404);
});

test("a slow URL serves its file in pieces", async () => {
  const startedAt = performance.now();
  await download(urlOf(video, { slow: 20 }));
  assert.ok(performance.now() - startedAt >= 8 * 19);
});

test("the log shows whether a credential was sent to the file host", async () => {
  simulator.log.clear();
  await download(urlOf(video));
  await (await fetch(urlOf(video), { headers: { authorization: "Bearer good" } })).arrayBuffer();
  const entries = await logged(simulator, 2);
  assert.deepEqual(
    entries.map((entry) => [entry.provider, entry.authorization]),
    [
      ["media", false],
      ["media", true],
    ],
  );
});
