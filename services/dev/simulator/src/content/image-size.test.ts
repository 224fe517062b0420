import assert from "node:assert/strict";
import { test } from "node:test";
import { parseDataUrl } from "./data-url.ts";
import { imageInfo } from "./image-size.ts";

function padded(...parts: (string | number[])[]): Buffer {
  const joined = Buffer.concat(
    parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : Buffer.from(part))),
  );
  return Buffer.concat([joined, Buffer.alloc(40)]);
}

test("reads the size of each image format", () => {
  const png = padded([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13], "IHDR", [0, 0, 1, 0, 0, 0, 0, 200]);
  assert.deepEqual(imageInfo(png), { mimeType: "image/png", width: 256, height: 200 });
  const gif = padded("GIF89a", [0x10, 0, 0x20, 0]);
  assert.deepEqual(imageInfo(gif), { mimeType: "image/gif", width: 16, height: 32 });
  const jpeg = padded([0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc0, 0, 17, 8, 0, 50, 0, 70]);
  assert.deepEqual(imageInfo(jpeg), { mimeType: "image/jpeg", width: 70, height: 50 });
  const webp = padded("RIFF", [0, 0, 0, 0], "WEBPVP8X", [10, 0, 0, 0, 0, 0, 0, 0, 99, 0, 0, 49, 0, 0]);
  assert.deepEqual(imageInfo(webp), { mimeType: "image/webp", width: 100, height: 50 });
});

test("rejects a file that is truncated or not an image", () => {
  assert.equal(imageInfo(Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'></svg>")), undefined);
  assert.equal(imageInfo(Buffer.from([0x89, 0x50, 0x4e, 0x47])), undefined);
});

test("rejects a data URL with invalid base64", () => {
  assert.equal(parseDataUrl("data:image/png;base64,@@@@"), undefined);
  assert.equal(parseDataUrl("data:image/png,plain"), undefined);
  assert.equal(parseDataUrl("data:;base64,aGk=")?.bytes.toString(), "hi");
});
