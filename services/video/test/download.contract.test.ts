import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { deflateRawSync, gzipSync } from "node:zlib";
import { json, send } from "@uag/harness/odd-provider/case";
import { httpBytes, type OddProvider, type OddResponse, startOddProvider } from "@uag/harness/odd-provider/server";
import { scratchDatabase } from "@uag/harness/scratch-database";
import { waitFor } from "@uag/harness/testing/wait-for";
import {
  type AssetServiceServer,
  AssetServiceService,
  type PutRequest,
  type PutResponse,
} from "@uag/proto/media/v1/assets.ts";
import { SettlementRule } from "@uag/proto/metering/v1/usage.ts";
import { insecure } from "@uag/runtime/rpc/identity";
import { serveRpc } from "@uag/runtime/rpc/server";
import { type Replica, startReplica, TestBooks } from "./support.ts";
import { grok, oddCatalog } from "./wires.ts";

function box(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + content.length);
  head.write(type, 4, "latin1");
  return Buffer.concat([head, content]);
}

const video = Buffer.concat([
  box("ftyp", Buffer.from("isom0000isom")),
  // A length that begins like JSON.
  box("mdat", randomBytes(0x7b7b - 8)),
  box("moov", Buffer.alloc(64)),
]);
const mp4 = { "content-type": "video/mp4" };
const file = (body: Buffer | string = video, headers: Record<string, string> = mp4, status = "200 OK"): OddResponse =>
  send(status, headers, body);
const unsized = (body: Buffer): OddResponse => ({
  pieces: [Buffer.from("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n"), body],
});

function bomb(): Buffer {
  // A block that ends at a byte can be repeated.
  const block = deflateRawSync(Buffer.alloc(1024 * 1024), { finishFlush: 3 });
  const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
  return Buffer.concat([header, ...Array.from({ length: 300 }, () => block)]);
}

type Row = readonly [what: string, response: (marker: string) => OddResponse];

/** Files that are videos. */
const good: readonly Row[] = [
  ["a video", () => file()],
  ["a video without a content type", () => file(video, {})],
  ["a video under the content type of a page", () => file(video, { "content-type": "text/html; charset=utf-8" })],
  ["a video behind a byte order mark", () => file(Buffer.concat([Buffer.from("efbbbf", "hex"), video]))],
  ["a gzip body", () => file(gzipSync(video), { ...mp4, "content-encoding": "gzip" })],
  ["a body without a length", () => unsized(video)],
  ["a slow body", () => ({ pieces: [httpBytes("200 OK", mp4, video), ""], pauseMs: 100 })],
  ["a video of another container", () => file(Buffer.from("1a45dfa3010203", "hex"), { "content-type": "video/webm" })],
];

/** Responses that show that there is no video, for anyone. */
const missing: readonly Row[] = [
  ["404", () => file("", mp4, "404 Not Found")],
  ["403 with an XML error", () => file("<Error/>", { "content-type": "application/xml" }, "403 Forbidden")],
  ["204", () => ({ pieces: ["HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n"] })],
  ["a page under status 200", () => file("<html>expired</html>")],
  ["a JSON error under status 200", () => file('{"error":"expired"}')],
  ["an image", () => file(Buffer.from("89504e470d0a1a0a", "hex"), { "content-type": "image/png" })],
  ["an empty body", () => file("")],
  ["a gzip bomb", () => file(bomb(), { ...mp4, "content-encoding": "gzip" })],
  ["a redirect to a private address", () => send("302 Found", { location: "http://169.254.169.254/" }, "")],
  ["a redirect to itself", (marker) => send("302 Found", { location: `/files/${marker}.mp4` }, "")],
];

/** Responses that may be better for the client, or later. */
const broken: readonly Row[] = [
  ["500", () => file("", mp4, "500 Oops")],
  ["429", () => file("", mp4, "429 Slow")],
  ["half of a video", () => unsized(video.subarray(0, video.length / 2))],
  ["a video without its description", () => unsized(video.subarray(0, -72))],
  ["a length beyond the body", () => file(video, { ...mp4, "content-length": "99999" })],
  ["a length below the body", () => file(video, { ...mp4, "content-length": "1000" })],
  ["a length beyond what is kept", () => file(video, { ...mp4, "content-length": "9999999999" })],
  ["a damaged gzip body", () => file(gzipSync(video).subarray(0, 50), { ...mp4, "content-encoding": "gzip" })],
  ["an unknown encoding", () => file(video, { ...mp4, "content-encoding": "lzw" })],
  ["a reset", () => ({ pieces: [], end: "reset" })],
  ["no response", () => ({ pieces: [], end: "stay-open" })],
  ["a stalled body", () => ({ pieces: [httpBytes("200 OK", mp4, video).subarray(0, 500)], end: "stay-open" })],
];

describe("a video whose file cannot be downloaded is retried, and lost only by a rule", { concurrency: 12 }, () => {
  const opened = new AsyncDisposableStack();
  const books = new TestBooks();
  const stored = new Map<string, { contentType: string; bytes: Buffer }>();
  let provider: OddProvider;
  let replica: Replica;

  const put = async (call: AsyncIterable<PutRequest>): Promise<PutResponse> => {
    let contentType = "";
    const chunks: Buffer[] = [];
    for await (const { part } of call) {
      if (part?.$case === "head") ({ contentType } = part.value);
      if (part?.$case === "chunk") chunks.push(part.value);
    }
    const url = `https://assets.example/${stored.size}`;
    stored.set(url, { contentType, bytes: Buffer.concat(chunks) });
    return { url, size: 0n, expiresAtMs: 0n };
  };
  before(async () => {
    provider = opened.use(await startOddProvider());
    const implementation: Pick<AssetServiceServer, "put"> = {
      put: (call, done) => void put(call).then((response) => done(null, response), done),
    };
    const service = { definition: AssetServiceService, implementation: { ...implementation } };
    const assets = opened.use(await serveRpc({ host: "127.0.0.1", port: 0, identity: insecure, services: [service] }));
    replica = opened.use(
      await startReplica({
        at: opened.use(scratchDatabase()),
        books,
        providers: [],
        catalog: oddCatalog(provider.url),
        env: {
          ASSETS_ADDR: `127.0.0.1:${assets.port}`,
          EGRESS_ALLOW: new URL(provider.url).host,
          POLL_TIMEOUT_MS: "2000",
          CREATE_TIMEOUT_MS: "6000",
        },
      }),
    );
  });
  after(() => opened.disposeAsync());

  /** Makes a video whose file is downloaded with these responses; the last one repeats. */
  const make = async (marker: string, files: readonly OddResponse[]) => {
    const url = `${provider.url}/files/${marker}.mp4`;
    const whole = JSON.stringify({ status: "done", video: { url, duration: 5 }, usage: grok.usage });
    let downloads = 0;
    provider.respond(marker, (request) => {
      if (request.startsWith("POST ")) return send("200 OK", json, grok.created(marker));
      if (!request.includes("/files/")) return send("200 OK", json, whole);
      return files[Math.min(downloads++, files.length - 1)] as OddResponse;
    });
    const body = { model: "grok-imagine-video", duration: 5, resolution: "480p", prompt: "a boat" };
    const created = await replica.call("videos.generations", body, { requestId: marker });
    const { id } = created.json<{ id: string }>();
    await waitFor(() => books.bills.has(marker), { what: `the bill of ${marker}` });
    const { settlementRule, costNanoUsd } = books.bills.get(marker) ?? assert.fail();
    assert.equal(costNanoUsd, 250_000_000n);
    assert.equal(provider.callsOf(marker, "POST "), 1);
    const shown = (await replica.call("videos.get", undefined, { id })).json<{
      status: string;
      content?: { video_url?: string };
      error?: { message: string };
    }>();
    return { url, downloads, settlementRule, ...shown };
  };

  for (const [index, [what, response]] of good.entries())
    test(`${what} is stored, and the client gets its URL`, async () => {
      const { content, settlementRule } = await make(`case-g_${index}`, [response("")]);
      const { contentType, bytes } = stored.get(content?.video_url ?? "") ?? assert.fail("stored");
      assert.match(contentType, /^video\/(mp4|webm)$/);
      if (contentType === "video/mp4") assert.ok(bytes.equals(video));
      assert.equal(settlementRule, SettlementRule.COMPLETED);
    });

  test("a redirect to the file is followed", async () => {
    const { content } = await make("case-redirect", [
      send("302 Found", { location: "/files/case-redirect.mp4" }, ""),
      file(),
    ]);
    assert.ok(stored.has(content?.video_url ?? ""));
  });

  for (const [index, [what, response]] of [...missing, ...broken].entries())
    test(`after ${what} the file is downloaded again`, async () => {
      const marker = `case-again_${index}`;
      // A redirect is followed in the same download.
      const first = response(marker);
      const { content, settlementRule } = await make(marker, [first, file("", mp4, "500 Oops"), file()]);
      assert.ok(stored.has(content?.video_url ?? ""), JSON.stringify(content));
      assert.equal(settlementRule, SettlementRule.COMPLETED);
    });

  for (const [index, [what, response]] of missing.entries())
    test(`a file that stays ${what} makes the task fail, and is billed by the provider's usage`, async () => {
      const marker = `case-missing_${index}`;
      const { status, error, settlementRule, downloads } = await make(marker, [response(marker)]);
      assert.equal(status, "failed");
      assert.match(error?.message ?? "", /cannot be downloaded: .+ so the task is billed/);
      assert.equal(settlementRule, SettlementRule.FAILED_USAGE);
      assert.ok(downloads >= 5 && downloads <= 25, `${downloads} downloads`);
    });

  for (const [index, [what, response]] of broken.entries())
    test(`of a file that stays ${what} the client gets the provider's URL`, async () => {
      const marker = `case-broken_${index}`;
      const { url, content, settlementRule, downloads } = await make(marker, [response(marker)]);
      assert.equal(content?.video_url, url);
      assert.equal(settlementRule, SettlementRule.COMPLETED);
      assert.equal(downloads, 5);
    });
});
