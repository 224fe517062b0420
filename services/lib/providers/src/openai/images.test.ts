import assert from "node:assert/strict";
import { test } from "node:test";
import { inline, testImages } from "../../test/image-cases.ts";

const gammaUsage = {
  total_tokens: 150,
  input_tokens: 50,
  output_tokens: 100,
  input_tokens_details: { text_tokens: 10, image_tokens: 40 },
  output_tokens_details: { image_tokens: 98, text_tokens: 2 },
};
const images = testImages("openai", {
  sent: [
    {
      what: "OpenAI, text to image",
      request: { count: 2, size: "1024x1024", options: { quality: "high", background: "opaque" }, stream: true },
      path: "/images/generations",
      body: {
        model: "theirs",
        prompt: "a cat",
        n: 2,
        size: "1024x1024",
        quality: "high",
        background: "opaque",
        stream: true,
      },
    },
  ],
  read: [
    {
      what: "splits OpenAI's tokens by kind",
      body: { data: [{ b64_json: "AA" }, { b64_json: "AA" }], usage: gammaUsage },
      expected: {
        images: 2,
        units: { input_tokens: 10, image_input_tokens: 40, image_output_tokens: 98, output_tokens: 2 },
        raw: JSON.stringify(gammaUsage),
      },
    },
    {
      what: "bills DALL-E, which reports no usage, by image",
      body: { data: [{ url: "https://x/1" }] },
      expected: { images: 1, billed: 1, raw: undefined },
    },
  ],
  failing: [
    { what: "not JSON", body: "<html>", kind: "transient" },
    { what: "no images", body: { data: [] }, kind: "transient" },
    {
      what: "an error under a good status",
      body: { error: { message: "no", code: "content_policy_violation" } },
      kind: "client",
    },
  ],
});

test("encodes a request: OpenAI, an edit as a form with our file names and types", () => {
  const options = { quality: "low", user: 'x"\r\n--form' };
  const sent = images.encode({ references: [inline, inline], mask: inline, size: "auto", options });
  assert.equal(sent.path, "/images/edits");
  const [, boundary = assert.fail()] = /content-type multipart\/form-data; boundary=(\S+)/.exec(sent.headers) ?? [];
  const text = sent.body.toString("latin1");
  assert.ok(text.endsWith(`--${boundary}--\r\n`));
  const heads = [...text.matchAll(/content-disposition: ([^\r]*)\r\n(?:content-type: ([^\r]*)\r\n)?\r\n/g)];
  assert.deepEqual(
    heads.map(([, disposition, type]) => [disposition, type]),
    [
      ...["model", "prompt", "n", "size", "quality", "user"].map((name) => [`form-data; name="${name}"`, undefined]),
      ['form-data; name="image[]"; filename="image-1.png"', "image/png"],
      ['form-data; name="image[]"; filename="image-2.png"', "image/png"],
      ['form-data; name="mask"; filename="mask.png"', "image/png"],
    ],
  );
  assert.match(images.encode({ references: [inline] }).body.toString(), /name="image"; filename="image-1.png"/);
});
