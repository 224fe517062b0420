import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { createGuardedClient } from "@uag/kit/http/guarded.ts";
import { UpstreamFailure } from "../src/failure.ts";
import { createMediaFetcher, type MediaFetcher } from "../src/media/fetch.ts";

const png = Buffer.from("89504e470d0a1a0a0000", "hex");
const { signal } = new AbortController();
let server: Server;
let url = "";
let media: MediaFetcher;
const guarded: AsyncDisposable[] = [];

before(async () => {
  server = createServer((request, response) => {
    if (request.url === "/moved") response.writeHead(302, { location: "/picture" }).end();
    else if (request.url === "/inside") response.writeHead(302, { location: "http://127.0.0.1:1/" }).end();
    else if (request.url === "/gone") response.writeHead(404).end();
    else if (request.url === "/page") response.setHeader("content-type", "text/html").end("<html>");
    else if (request.url === "/big") response.end(Buffer.alloc(15 * 1024 * 1024));
    else if (request.url === "/picture") response.setHeader("content-type", "application/octet-stream").end(png);
    else response.setHeader("content-type", "audio/mpeg; x=y").end("sound");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  url = `http://127.0.0.1:${port}`;
  const client = createGuardedClient({ allow: [`127.0.0.1:${port}`] });
  guarded.push(client);
  media = createMediaFetcher(client, "a");
});
after(async () => {
  for (const client of guarded) await client[Symbol.asyncDispose]();
  server.close();
});

test("a picture is known by its bytes, sound by what its server says, and redirects are followed", async () => {
  const picture = { type: "inline", mediaType: "image/png", base64: png.toString("base64") };
  assert.deepEqual(await media.fetch(`${url}/picture`, "image", { param: "p", signal }), picture);
  assert.deepEqual(await media.fetch(`${url}/moved`, "image", { param: "p", signal }), picture);
  const sound = await media.fetch(`${url}/sound`, "audio", { param: "p", signal });
  assert.equal(sound.mediaType, "audio/mp3");
});

for (const [what, path, kind] of [
  ["what is not there", "/gone", "image"],
  ["a page", "/page", "image"],
  ["a picture for a document", "/picture", "document"],
  ["more than fits into a request", "/big", "image"],
  ["an address inside", "/inside", "image"],
] as const) {
  test(`refused as the client's fault, naming the field and no address: ${what}`, async () => {
    const refused = (error: unknown): boolean => {
      assert.ok(error instanceof UpstreamFailure);
      assert.equal(error.kind, "client");
      assert.equal(error.said?.param, "messages[0]");
      assert.doesNotMatch(error.said?.message ?? "", /127\.0\.0\.1/);
      return true;
    };
    await assert.rejects(media.fetch(url + path, kind, { param: "messages[0]", signal }), refused);
  });
}
