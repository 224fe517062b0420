import assert from "node:assert/strict";
import { test } from "node:test";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { createGuardedClient } from "@uag/untrusted/http/guarded";
import { checkUrls } from "./urls.ts";

const guarded = createGuardedClient({ allow: ["127.0.0.1:81"] });
const inside = "https://LOCALHOST.:8443/x";
const check = (content: unknown): void =>
  checkUrls({ messages: [{ role: "user", content: "hi" }, { content }] }, guarded);

const parts: readonly (readonly [where: string, part: (url: string) => object])[] = [
  ["image_url.url", (url) => ({ type: "image_url", image_url: { url } })],
  ["video_url.url", (url) => ({ type: "video_url", video_url: { url } })],
  ["audio_url.url", (url) => ({ type: "audio_url", audio_url: { url } })],
  ["input_audio.data", (url) => ({ type: "input_audio", input_audio: { data: url } })],
  ["video[1]", (url) => ({ type: "video", video: ["https://a.test/", url] })],
  ["source.url", (url) => ({ type: "image", source: { type: "url", url } })],
  ["source.url", (url) => ({ type: "document", source: { type: "url", url } })],
  [
    "content[0].source.url",
    (url) => ({ type: "tool_result", content: [{ type: "image", source: { type: "url", url } }] }),
  ],
];

for (const [where, part] of parts) {
  test(`rejects a URL in a private network: ${where} of ${JSON.stringify(part("..."))}`, () => {
    const refused = (error: unknown): boolean => {
      assert.ok(error instanceof GatewayError && error.httpStatus === 400);
      assert.equal(error.param, `messages[1].content[0].${where}`);
      return true;
    };
    for (const url of [inside, "http://0x7f.1/", "https://[::ffff:0:10.0.0.1]/"])
      assert.throws(() => check([part(url)]), refused);
    for (const url of ["https://example.com/a.png", "http://127.0.0.1:81/", "data:image/png;base64,AA=="])
      check([part(url)]);
  });
}

test("does not check tool arguments or values that are not parts", () => {
  check([{ type: "tool_use", name: "fetch", input: { url: inside, image_url: { url: inside } } }]);
  check([{ type: "text", text: inside }, null, 1, inside]);
  check(inside);
  checkUrls({ messages: "x" }, guarded);
  checkUrls({}, guarded);
});
