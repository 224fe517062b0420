import type { ServerResponse } from "node:http";
import { conformance } from "@uag/harness/conformance";
import { png } from "../src/images/testing/pictures.ts";
import { startMedia, typed } from "./support.ts";

const catalog = (url: string): string => `
providers:
  openai: { protocol: openai, base_url: "${url}/v1", api_key: sk-upstream-secret }
models:
  - id: gamma
    owned_by: acme
    created: 2026-01-01
    operations: [images.generations, images.edits]
    output: [image]
    image_tokens: 7000
    price: { input_tokens: 5, image_input_tokens: 10, image_output_tokens: 40 }
    image: { family: gamma, references: { max: 16 }, edit_sizes: [1024x1024], output_tokens: { low: 272, medium: 1056, high: 4160 } }
    upstreams: [{ provider: openai }]
`;
const picture = png({ width: 4, height: 4, colour: "rgb" });
const made = {
  created: 1,
  data: [{ b64_json: picture.toString("base64") }],
  background: "opaque",
  output_format: "png",
  quality: "low",
  size: "1024x1024",
  usage: {
    total_tokens: 1_010,
    input_tokens: 10,
    output_tokens: 1_000,
    input_tokens_details: { text_tokens: 10, image_tokens: 0 },
  },
};
const respond = (response: ServerResponse): void => {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(made));
};

const boundary = "----test";
const part = (name: string, content: string | Buffer, file = ""): Buffer[] => [
  Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; name="${name}"${file}\r\n\r\n`),
  Buffer.from(content),
  Buffer.from("\r\n"),
];
const formWith = (...more: readonly Buffer[]): Buffer =>
  Buffer.concat([
    ...part("model", "gamma"),
    ...part("prompt", "a cat"),
    ...part("image", picture, '; filename="a.png"'),
    ...more,
    Buffer.from(`--${boundary}--\r\n`),
  ]);

const event = (name: string, more: object = {}): string => {
  const data = { type: `image_generation.${name}`, b64_json: made.data[0]?.b64_json, ...more };
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
};
const stream = {
  begin: (response: ServerResponse) => void response.writeHead(200, { "content-type": "text/event-stream" }),
  piece: event("partial_image", { b64_json: "A".repeat(8_000) }),
};
const respondStreamed = (response: ServerResponse): void => {
  stream.begin(response);
  response.end(event("partial_image") + event("completed", { usage: made.usage }));
};

const errorWithUsage = { error: { message: "boom", type: "server_error" }, usage: made.usage };

conformance({
  file: import.meta.filename,
  start: (url, parts) => startMedia({ catalog: catalog(url), egressAllow: [new URL(url).host], ...parts }),
  cases: [
    {
      name: "an image",
      operation: "images.generations",
      body: { model: "gamma", prompt: "a cat" },
      respond,
      errorWithUsage,
    },
    {
      name: "an edited image",
      operation: "images.edits",
      body: formWith(),
      ...typed(`multipart/form-data; boundary=${boundary}`),
      respond,
      errorWithUsage,
    },
    {
      name: "a streamed image",
      operation: "images.generations",
      body: { model: "gamma", prompt: "a cat", stream: true, partial_images: 1 },
      respond: respondStreamed,
      errorWithUsage,
      stream,
    },
    {
      name: "a streamed edit",
      operation: "images.edits",
      body: formWith(...part("stream", "true"), ...part("partial_images", "1")),
      ...typed(`multipart/form-data; boundary=${boundary}`),
      respond: respondStreamed,
      errorWithUsage,
      stream,
    },
  ],
});
