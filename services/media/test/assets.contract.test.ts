import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { credentials } from "@grpc/grpc-js";
import { waitFor } from "@uag/harness/testing/wait-for";
import { AssetServiceClient, type PutResponse } from "@uag/proto/media/v1/assets.ts";
import type { MountedServer } from "@uag/runtime/http/mounted-server";
import { randomText } from "@uag/runtime/ids";
import { keyringOf } from "@uag/runtime/keyring";
import { createLogger } from "@uag/runtime/log";
import { openS3 } from "@uag/runtime/objects/s3";
import type { ObjectStore } from "@uag/runtime/objects/store";
import { insecure } from "@uag/runtime/rpc/identity";
import { serveRpc } from "@uag/runtime/rpc/server";
import { createConnection, mongo } from "mongoose";
import { type Assets, createAssets } from "../src/assets/assets.ts";
import { openGridFs } from "../src/assets/gridfs.ts";
import { assetRpc } from "../src/assets/put.ts";
import { startAssetServer } from "../src/assets/server.ts";
import { AssetTokens } from "../src/assets/token.ts";
import { startFakeS3 } from "./fake-s3.ts";

const log = createLogger({ service: "assets-test", level: "silent" });
const mongodbUrl = process.env["TEST_MONGODB_URL"] ?? "";
const secret = randomBytes(32);
const ttlMs = 86_400_000;

async function* pieces(bytes: Buffer, size = 100_000): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

interface Backend {
  readonly name: string;
  open(stack: AsyncDisposableStack): Promise<ObjectStore>;
}

const gridFs = (stack: AsyncDisposableStack) => {
  assert.notEqual(mongodbUrl, "", 'Set TEST_MONGODB_URL to a replica set, or run "npm test", which starts one.');
  const database = `media_test_${randomText(12)}`;
  stack.defer(async () => {
    const connection = await createConnection(mongodbUrl, { dbName: database }).asPromise();
    await connection.dropDatabase();
    await connection.close();
  });
  return openGridFs({ url: mongodbUrl, database, bucket: "assets", sweep: { ttlMs, everyMs: 60_000, log } });
};

const backends: Backend[] = [
  { name: "GridFS", open: async (stack) => stack.use(await gridFs(stack)) },
  {
    name: "S3",
    async open(stack) {
      const access = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY" };
      // Any S3 server with a bucket `assets-test` can be used instead (AWS, MinIO, `moto_server`).
      const endpoint = process.env["TEST_S3_URL"] ?? stack.use(await startFakeS3(access)).url;
      return openS3({ endpoint, region: "us-east-1", bucket: "assets-test", prefix: "assets/", ...access });
    },
  },
];

for (const backend of backends) {
  describe(`files stored in ${backend.name}`, () => {
    const stack = new AsyncDisposableStack();
    const tokens = new AssetTokens(keyringOf(secret.toString("hex")));
    let store: ObjectStore;
    let server: MountedServer;
    let assets: Assets;

    before(async () => {
      store = await backend.open(stack);
      server = stack.use(await startAssetServer({ host: "127.0.0.1", port: 0, store, tokens, log, lingerMs: 0 }));
      assets = createAssets({ store, tokens, publicUrl: `http://127.0.0.1:${server.port}`, ttlMs });
    });
    after(() => stack.disposeAsync());

    for (const size of [0, 1, 524_288, 3_000_000, 17_000_000]) {
      test(`returns a file of ${size} bytes unchanged, whole, in part and for HEAD`, async () => {
        const bytes = randomBytes(size);
        const hosted = await assets.host("image/png", pieces(bytes));
        assert.equal(hosted.size, size);
        assert.match(hosted.url, /\/assets\/[A-Za-z0-9_-]{52}\.png$/);
        const whole = await fetch(hosted.url);
        assert.equal(whole.status, 200);
        assert.ok(Buffer.from(await whole.arrayBuffer()).equals(bytes));
        assert.equal(whole.headers.get("content-type"), "image/png");
        assert.equal(whole.headers.get("content-length"), String(size));
        assert.equal(whole.headers.get("x-content-type-options"), "nosniff");
        assert.equal(whole.headers.get("content-disposition"), 'inline; filename="asset.png"');
        assert.match(whole.headers.get("cache-control") ?? "", /^private, max-age=86\d{3}, immutable$/);
        const head = await fetch(hosted.url, { method: "HEAD" });
        assert.deepEqual([head.status, head.headers.get("content-length")], [200, String(size)]);
        assert.equal((await head.arrayBuffer()).byteLength, 0);
        if (size < 100) return;
        const [start, end] = [Math.floor(size / 2) - 7, size - 3];
        const part = await fetch(hosted.url, { headers: { range: `bytes=${start}-${end}` } });
        assert.equal(part.status, 206);
        assert.equal(part.headers.get("content-range"), `bytes ${start}-${end}/${size}`);
        assert.ok(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(start, end + 1)));
      });
    }

    test("responds to ranges and conditional requests by RFC 9110", async () => {
      const { url } = await assets.host("video/mp4", pieces(Buffer.from("0123456789")));
      const call = (headers: Record<string, string>) => fetch(url, { headers });
      const beyond = await call({ range: "bytes=10-" });
      assert.deepEqual([beyond.status, beyond.headers.get("content-range")], [416, "bytes */10"]);
      assert.equal(await (await call({ range: "bytes=-3" })).text(), "789");
      assert.equal((await call({ range: "bytes=0-1,4-5" })).status, 200);
      const etag = (await call({})).headers.get("etag") ?? assert.fail();
      assert.equal((await call({ "if-none-match": etag })).status, 304);
      assert.equal((await call({ range: "bytes=0-1", "if-range": etag })).status, 206);
      assert.equal((await call({ range: "bytes=0-1", "if-range": '"other"' })).status, 200);
      assert.equal((await fetch(url, { method: "DELETE" })).status, 405);
    });

    test("a foreign URL and one whose file is gone get the same response; an expired one gets 410", async () => {
      const base = `http://127.0.0.1:${server.port}/assets`;
      const gone = tokens.issue(Date.now() + 60_000).token;
      const forged = new AssetTokens(keyringOf(randomBytes(32).toString("hex"))).issue(Date.now() + 60_000).token;
      const responses = await Promise.all(
        [gone, forged, "x", "..%2f..%2fetc", `${gone}x`].map(async (token) => {
          const response = await fetch(`${base}/${token}`);
          return [response.status, await response.text()];
        }),
      );
      for (const response of responses) assert.deepEqual(response, responses[0]);
      assert.equal(responses[0]?.[0], 404);
      assert.equal((await fetch(`${base}/${tokens.issue(Date.now() - 5_000).token}`)).status, 410);
    });

    test("does not store a file whose body is interrupted, small or large", async () => {
      for (const size of [10, 20_000_000]) {
        const body = async function* (): AsyncGenerator<Buffer> {
          yield* pieces(randomBytes(size));
          throw new Error("interrupted");
        };
        const { id } = tokens.issue(Date.now() + 60_000);
        await assert.rejects(store.put(id, "image/png", body()), /interrupted/);
        assert.equal(await store.find(id), undefined);
      }
    });

    test("accepts files from other services as a stream, within limits", async () => {
      await using rpc = await serveRpc({
        identity: insecure,
        host: "127.0.0.1",
        port: 0,
        services: [assetRpc({ assets, maxBytes: 1_000_000, log })],
      });
      const client = new AssetServiceClient(`127.0.0.1:${rpc.port}`, credentials.createInsecure());
      const put = (contentType: string | undefined, bytes: Buffer): Promise<PutResponse> =>
        new Promise((resolve, reject) => {
          const call = client.put((error, response) => (error === null ? resolve(response) : reject(error)));
          if (contentType !== undefined) call.write({ part: { $case: "head", value: { contentType } } });
          for (let at = 0; at < bytes.length; at += 60_000)
            call.write({ part: { $case: "chunk", value: bytes.subarray(at, at + 60_000) } });
          call.end();
        });
      const bytes = randomBytes(900_000);
      const { url, size, expiresAtMs } = await put("audio/mpeg", bytes);
      assert.equal(size, 900_000n);
      assert.ok(Number(expiresAtMs) > Date.now() + ttlMs - 5_000);
      assert.ok(Buffer.from(await (await fetch(url)).arrayBuffer()).equals(bytes));
      await assert.rejects(put("audio/mpeg", randomBytes(1_100_000)), /exceeds 1000000 bytes/);
      await assert.rejects(put("text/html", bytes), /Only images, audio and video/);
      await assert.rejects(put(undefined, bytes), /must be the head/);
      client.close();
    });

    test("the store's health check passes", async () => assert.deepEqual(await store.check(), { ok: true }));
  });
}

test("removes expired files and long-orphaned chunks from GridFS", async () => {
  await using stack = new AsyncDisposableStack();
  const database = `media_test_${randomText(12)}`;
  const connection = await createConnection(mongodbUrl, { dbName: database }).asPromise();
  stack.defer(async () => {
    await connection.dropDatabase();
    await connection.close();
  });
  const store = stack.use(
    await openGridFs({
      url: mongodbUrl,
      database,
      bucket: "assets",
      sweep: { ttlMs: 3_600_000, everyMs: 100, log },
    }),
  );
  const counts = () =>
    Promise.all(["assets.files", "assets.chunks"].map((name) => connection.collection(name).countDocuments()));
  const { id } = new AssetTokens(keyringOf(secret.toString("hex"))).issue(0);
  await store.put(id, "image/png", pieces(randomBytes(2_000_000)));
  const old = { _id: mongo.ObjectId.createFromTime(Math.floor(Date.now() / 1000) - 86_400), n: 0 };
  await connection.collection("assets.chunks").insertOne(old);
  assert.notEqual(await store.find(id), undefined);
  const past = new Date(Date.now() - 2 * 3_600_000);
  await connection.collection("assets.files").updateMany({}, { $set: { uploadDate: past } });
  await waitFor(
    async () => {
      const [files = 0] = await counts();
      return files === 0 && (await connection.collection("assets.chunks").findOne({ _id: old._id })) === null;
    },
    { what: "the expired files to be removed" },
  );
  assert.equal(await store.find(id), undefined);
});
