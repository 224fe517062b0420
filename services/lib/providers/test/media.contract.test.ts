import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { unlimitedFetches } from "@uag/harness/unlimited-fetches";
import { BufferBudget } from "@uag/untrusted/buffer-budget";
import { createGuardedClient } from "@uag/untrusted/http/guarded";
import { UpstreamFailure } from "../src/failure.ts";
import { createMediaFetcher, type MediaFetcher } from "../src/media/fetch.ts";
import { type FetchBudget, UrlFetches } from "../src/media/url-fetches.ts";

const png = Buffer.from("89504e470d0a1a0a0000", "hex");
const { signal } = new AbortController();
let server: Server;
let url = "";
let media: MediaFetcher;
let fetches: (buffers?: BufferBudget, budget?: FetchBudget) => UrlFetches;
const caller = { accountId: "account", keyId: "key" };
const mebibyte = 1024 * 1024;
const limits = { urls: 64, bytes: 40 * mebibyte, atOnceOfKey: 2, atOnce: 3 };
let now = 0;
let maxConcurrent = 0;
let calls = 0;
const guarded: AsyncDisposable[] = [];

before(async () => {
  server = createServer((request, response) => {
    calls++;
    maxConcurrent = Math.max(maxConcurrent, ++now);
    response.once("close", () => now--);
    if (request.url?.startsWith("/large")) response.end(Buffer.concat([png, Buffer.alloc(13 * mebibyte)]));
    else if (request.url?.startsWith("/slow")) setTimeout(() => response.end(png), 50);
    else if (request.url === "/moved") response.writeHead(302, { location: "/picture" }).end();
    else if (request.url === "/inside") response.writeHead(302, { location: "http://127.0.0.1:1/" }).end();
    else if (request.url === "/gone") response.writeHead(404).end();
    else if (request.url === "/page") response.setHeader("content-type", "text/html").end("<html>");
    else if (request.url === "/big") response.end(Buffer.alloc(15 * 1024 * 1024));
    else if (request.url?.startsWith("/picture"))
      response.setHeader("content-type", "application/octet-stream").end(png);
    else response.setHeader("content-type", "audio/mpeg; x=y").end("sound");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  url = `http://127.0.0.1:${port}`;
  const client = createGuardedClient({ allow: [`127.0.0.1:${port}`] });
  guarded.push(client);
  fetches = (buffers = new BufferBudget(), budget = unlimitedFetches) =>
    new UrlFetches({ client, buffers, budget, limits });
  media = createMediaFetcher(fetches().open(caller));
});
after(async () => {
  for (const client of guarded) await client[Symbol.asyncDispose]();
  server.close();
});

test("detects images by their bytes and audio by its content type, and follows redirects", async () => {
  const picture = { type: "inline", mediaType: "image/png", base64: png.toString("base64") };
  assert.deepEqual(await media.fetch(`${url}/picture`, "image", { param: "p", signal }), picture);
  assert.deepEqual(await media.fetch(`${url}/moved`, "image", { param: "p", signal }), picture);
  const sound = await media.fetch(`${url}/sound`, "audio", { param: "p", signal });
  assert.equal(sound.mediaType, "audio/mp3");
});

for (const [what, path, kind] of [
  ["a missing file", "/gone", "image"],
  ["a web page", "/page", "image"],
  ["an image in place of a document", "/picture", "document"],
  ["a file that is too large for a request", "/big", "image"],
  ["an internal address", "/inside", "image"],
] as const) {
  test(`rejects ${what} with a client error that names the field and no address`, async () => {
    const refused = (error: unknown): boolean => {
      assert.ok(error instanceof UpstreamFailure);
      assert.equal(error.kind, "client");
      assert.equal(error.reported?.param, "messages[0]");
      assert.doesNotMatch(error.reported?.message ?? "", /127\.0\.0\.1/);
      return true;
    };
    await assert.rejects(media.fetch(url + path, kind, { param: "messages[0]", signal }), refused);
  });
}

const isClients = (text: RegExp) => (error: unknown) => {
  assert.ok(error instanceof UpstreamFailure);
  assert.equal(error.kind, "client");
  assert.match(error.reported?.message ?? "", text);
  return true;
};

test("fetches at most 64 URLs per request, and a repeated one once", async () => {
  calls = 0;
  using one = createMediaFetcher(fetches().open(caller));
  const call = (n: number) => one.fetch(`${url}/picture?${n}`, "image", { param: `p[${n}]`, signal });
  for (let n = 0; n < 64; n++) await call(n);
  await call(0);
  assert.equal(calls, 64);
  await assert.rejects(async () => call(64), isClients(/p\[64\].*at most 64 URLs/));
  assert.equal(calls, 64);
});

test("an account beyond its budget of fetched URLs calls no third party, whichever of its keys asks", async () => {
  calls = 0;
  let left = 3;
  const budget: FetchBudget = {
    take: async (accountId) => {
      assert.equal(accountId, caller.accountId);
      if (left-- <= 0) throw new GatewayError("rate_limit_exceeded");
    },
  };
  const urls = fetches(new BufferBudget(), budget);
  const call = async (keyId: string, n: number) => {
    using one = createMediaFetcher(urls.open({ ...caller, keyId }));
    return await one.fetch(`${url}/picture?${n}`, "image", { param: "p", signal });
  };
  for (let n = 0; n < 3; n++) await call(`key_${n}`, n);
  const isLimited = (error: unknown): boolean => error instanceof GatewayError && error.code === "rate_limit_exceeded";
  await assert.rejects(call("key_3", 3), isLimited);
  assert.equal(calls, 3);
});

test("fetches a failed URL again when it is requested again", async () => {
  calls = 0;
  using one = createMediaFetcher(fetches().open(caller));
  for (const times of [1, 2]) {
    await assert.rejects(one.fetch(`${url}/gone`, "image", { param: "p", signal }), isClients(/404/));
    assert.equal(calls, times);
  }
});

test("of twelve images of 13 MiB, fetches 40 MiB, rejects the request and accounts for all memory until its end", async () => {
  const buffers = new BufferBudget({ totalBytes: 200 * mebibyte, ownerBytes: 200 * mebibyte });
  const one = createMediaFetcher(fetches(buffers).open(caller));
  const fetching = Array.from({ length: 12 }, (_, n) =>
    one.fetch(`${url}/large?${n}`, "image", { param: `p[${n}]`, signal }),
  );
  const results = await Promise.allSettled(fetching);
  assert.ok(results.filter(({ status }) => status === "fulfilled").length <= 3);
  assert.ok(buffers.held > 39 * mebibyte && buffers.held <= 3 * 40 * mebibyte, String(buffers.held));
  const refused = results.find(({ status }) => status === "rejected") as PromiseRejectedResult;
  isClients(/40 MiB in total/)(refused.reason);
  one[Symbol.dispose]();
  assert.equal(buffers.held, 0);
});

test("requests of one account hold at most its share of memory; further ones get a 503", async () => {
  const ownerBytes = 100 * mebibyte;
  const buffers = new BufferBudget({ totalBytes: 10 * ownerBytes, ownerBytes });
  const urls = fetches(buffers);
  const requests = Array.from({ length: 10 }, () => createMediaFetcher(urls.open(caller)));
  const results = await Promise.allSettled(
    requests.map((one, n) => one.fetch(`${url}/large?${n}`, "image", { param: "p", signal })),
  );
  assert.ok(buffers.held <= ownerBytes, String(buffers.held));
  const refused = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
  assert.ok(refused.length > 0 && refused.length < 10, String(refused.length));
  for (const error of refused) assert.ok(error instanceof GatewayError && error.httpStatus === 503, String(error));
  for (const one of requests) one[Symbol.dispose]();
  assert.equal(buffers.held, 0);
});

test("a finished request fetches nothing more and holds no memory, even with fetches in progress", async () => {
  const buffers = new BufferBudget();
  const one = createMediaFetcher(fetches(buffers).open(caller));
  const fetching = [1, 2, 3].map((n) => one.fetch(`${url}/slow?${n}`, "image", { param: "p", signal }));
  one[Symbol.dispose]();
  const results = await Promise.allSettled(fetching);
  assert.ok(results.every(({ status }) => status === "rejected"));
  assert.equal(buffers.held, 0);
});

test("limits concurrent fetches per key and in total, and serves every waiting key", async () => {
  maxConcurrent = 0;
  const urls = fetches();
  const call = async (keyId: string, n: number) => {
    using one = createMediaFetcher(urls.open({ ...caller, keyId }));
    return await one.fetch(`${url}/slow?${keyId}${n}`, "image", { param: "p", signal });
  };
  await Promise.all(Array.from({ length: 6 }, (_, n) => call("one", n)));
  assert.equal(maxConcurrent, limits.atOnceOfKey);
  await Promise.all(Array.from({ length: 12 }, (_, n) => call(["one", "two", "three"][n % 3] as string, n)));
  assert.equal(maxConcurrent, limits.atOnce);
});

test("a waiting fetch that is aborted takes no slot", async () => {
  const urls = fetches();
  const open = () => createMediaFetcher(urls.open(caller));
  const aborter = new AbortController();
  const busy = [1, 2].map((n) => open().fetch(`${url}/slow?${n}`, "image", { param: "p", signal }));
  const waiting = open().fetch(`${url}/slow?3`, "image", { param: "p", signal: aborter.signal });
  aborter.abort(new Error("left"));
  await assert.rejects(waiting, /left/);
  await Promise.all(busy);
  await open().fetch(`${url}/slow?4`, "image", { param: "p", signal });
});
