import assert from "node:assert/strict";
import { test } from "node:test";
import { cpuMsOf } from "@uag/harness/testing/durations";
import { UpstreamFailure } from "@uag/providers/failure";
import { inspectImage } from "./inspect.ts";
import { jpeg, png, webp } from "./testing/pictures.ts";

function codeOf(bytes: Buffer): string | undefined {
  try {
    inspectImage(bytes, "image");
  } catch (error) {
    assert.ok(error instanceof UpstreamFailure, String(error));
    assert.equal(error.kind, "client");
    return error.reported?.code;
  }
  return undefined;
}

test("detects type, size and transparency from the file itself", () => {
  const see = ({ mediaType, width, height, alpha }: ReturnType<typeof inspectImage>) => [
    mediaType,
    width,
    height,
    alpha,
  ];
  assert.deepEqual(see(inspectImage(png({ width: 3, height: 2, colour: "rgb" }), "image")), ["image/png", 3, 2, false]);
  assert.deepEqual(see(inspectImage(png({ width: 3, height: 2, colour: "rgba" }), "image")), ["image/png", 3, 2, true]);
  assert.deepEqual(see(inspectImage(png({ width: 1, height: 1, colour: "palette+tRNS" }), "image")), [
    "image/png",
    1,
    1,
    true,
  ]);
  assert.deepEqual(see(inspectImage(jpeg(8, 4), "image")), ["image/jpeg", 8, 4, false]);
  assert.deepEqual(see(inspectImage(webp(5, 7), "image")), ["image/webp", 5, 7, false]);
});

const refused: [what: string, bytes: Buffer, code: string][] = [
  ["an empty file", Buffer.alloc(0), "invalid_image"],
  ["text", Buffer.from("hello"), "unsupported_image_format"],
  ["SVG", Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'></svg>"), "unsupported_image_format"],
  ["HTML", Buffer.from("<!doctype html><script>1</script>"), "unsupported_image_format"],
  ["GIF", Buffer.from("GIF89a\x01\0\x01\0\0\0\0;", "latin1"), "unsupported_image_format"],
  ["only a PNG's signature", png({ width: 1, height: 1, colour: "rgb" }).subarray(0, 8), "invalid_image"],
  ["half a PNG", png({ width: 64, height: 64, colour: "rgb" }).subarray(0, 60), "invalid_image"],
  ["a PNG without its end", png({ width: 64, height: 64, colour: "rgb" }).subarray(0, -12), "invalid_image"],
  [
    "a PNG of 50,000 x 50,000",
    png({ width: 50_000, height: 50_000, colour: "rgb", data: Buffer.alloc(9) }),
    "invalid_image",
  ],
  [
    "a PNG of 4,294,967,295 x 1",
    png({ width: 0xffffffff, height: 1, colour: "rgb", data: Buffer.alloc(9) }),
    "invalid_image",
  ],
  ["a PNG of 0 x 0", png({ width: 0, height: 0, colour: "rgb", data: Buffer.alloc(9) }), "invalid_image"],
  ["half a JPEG", jpeg(8, 4).subarray(0, -2), "invalid_image"],
  ["only a JPEG's signature", Buffer.from([0xff, 0xd8, 0xff]), "invalid_image"],
  ["a JPEG of 65,000 x 65,000", jpeg(65_000, 65_000), "invalid_image"],
  ["half a WebP", webp(5, 7).subarray(0, 20), "invalid_image"],
  ["a WebP with a wrong length", Buffer.concat([webp(5, 7)]).subarray(0, -1), "invalid_image"],
];
for (const [what, bytes, code] of refused) {
  test(`rejects ${what} as ${code}`, () => assert.equal(codeOf(bytes), code));
}

test("a truncated or corrupted image is only rejected, and quickly", () => {
  const tookMs = cpuMsOf(() => {
    for (const good of [png({ width: 9, height: 9, colour: "rgba" }), jpeg(8, 8), webp(9, 9)]) {
      for (let at = 0; at <= good.length; at++) codeOf(good.subarray(0, at));
      for (let round = 0; round < 500; round++) {
        const bytes = Buffer.from(good);
        bytes[Math.floor(Math.random() * bytes.length)] = Math.floor(Math.random() * 256);
        codeOf(bytes);
      }
    }
  });
  assert.ok(tookMs < 5_000, `${tookMs} ms`);
});
