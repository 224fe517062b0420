import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { BufferBudget } from "@uag/untrusted/buffer-budget";
import { createGuardedClient, type GuardedClient } from "@uag/untrusted/http/guarded";
import { DownloadFault, downloadVideo } from "./download.ts";

const mebi = 1024 * 1024;
/** A video of another container than MP4 is taken as it is. */
const video = Buffer.concat([Buffer.from("1a45dfa3", "hex"), randomBytes(2 * mebi)]);
const server = createServer((request, response) => {
  const isZipped = request.url === "/zipped";
  response.setHeader("content-type", "video/webm");
  if (isZipped) response.setHeader("content-encoding", "gzip");
  response.end(isZipped ? gzipSync(video) : video);
});
let guarded: GuardedClient;
let base: string;

before(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  base = `http://${host}`;
  guarded = createGuardedClient({ allow: [host] });
});
after(async () => {
  await guarded[Symbol.asyncDispose]();
  server.close();
});

test("a result counts toward the buffer budget while it is held, also when it was compressed", async () => {
  const buffers = new BufferBudget({ totalBytes: 100 * mebi, ownerBytes: 100 * mebi });
  for (const path of ["/plain", "/zipped"]) {
    using lease = buffers.open("account");
    const { bytes } = await downloadVideo(guarded, { url: base + path, timeoutMs: 5_000, lease });
    assert.ok(bytes.equals(video));
    assert.ok(buffers.heldBy("account") >= video.length, path);
  }
  assert.equal(buffers.held, 0);
});

test("a result is read only once buffer memory is available", async () => {
  const buffers = new BufferBudget({ totalBytes: 3 * mebi, ownerBytes: 3 * mebi });
  using lease = buffers.open("account");
  {
    using others = buffers.open("another");
    others.take(2 * mebi);
    const late = downloadVideo(guarded, { url: `${base}/plain`, timeoutMs: 500, lease });
    await assert.rejects(late, DownloadFault);
    assert.ok(buffers.held <= 3 * mebi);
  }
  lease.give(lease.held);
  await downloadVideo(guarded, { url: `${base}/plain`, timeoutMs: 5_000, lease });
});
