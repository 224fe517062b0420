import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import express from "express";
import { webPages } from "./pages.ts";

const script = "console.log('hello');\n".repeat(100);

interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

describe("static files of the console", () => {
  const resources = new AsyncDisposableStack();
  let port = 0;

  before(async () => {
    const around = await mkdtemp(join(tmpdir(), "pages-"));
    resources.defer(() => rm(around, { recursive: true, force: true }));
    await writeFile(join(around, "secret.js"), "a secret");
    const dir = join(around, "dist");
    await mkdir(join(dir, "assets"), { recursive: true });
    await writeFile(join(dir, "index.html"), "<!doctype html>");
    await writeFile(join(dir, "assets/app-1a2b.js"), script);
    await writeFile(join(dir, "assets/app-1a2b.js.br"), brotliCompressSync(script));
    await writeFile(join(dir, "assets/app-1a2b.js.gz"), gzipSync(script));
    await writeFile(join(dir, "assets/font.woff2"), "font");
    // In a test express does not print the requests that fail.
    const app = express().set("env", "test").use("/console", webPages(dir));
    const server = createServer(app);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    resources.defer(() => void server.close());
    port = (server.address() as AddressInfo).port;
  });
  after(() => resources.disposeAsync());

  /** As it travels: fetch would unpack it. */
  function get(path: string, headers: Record<string, string> = {}): Promise<Received> {
    return new Promise((resolve, reject) => {
      const sent = request({ host: "127.0.0.1", port, path: `/console${path}`, headers }, async (response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk as Buffer);
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) });
      });
      sent.on("error", reject).end();
    });
  }

  test("a script is served in a compressed form that the browser accepts", async () => {
    for (const [accepted, encoding, unpack] of [
      ["gzip, deflate, br", "br", brotliDecompressSync],
      ["gzip, deflate", "gzip", gunzipSync],
    ] as const) {
      const { status, headers, body } = await get("/assets/app-1a2b.js", { "accept-encoding": accepted });
      assert.equal(status, 200);
      assert.equal(headers["content-encoding"], encoding);
      assert.equal(headers["content-type"], "text/javascript; charset=utf-8");
      assert.equal(unpack(body).toString(), script);
    }
  });

  test("a client that accepts no compression gets the plain file, and caches store both separately", async () => {
    for (const accepted of ["identity", "br;q=0, gzip;q=0"]) {
      const { headers, body } = await get("/assets/app-1a2b.js", { "accept-encoding": accepted });
      assert.equal(headers["content-encoding"], undefined);
      assert.match(String(headers["vary"]), /accept-encoding/i);
      assert.equal(body.toString(), script);
    }
  });

  test("a file with a hash in its name is cached permanently, and the page itself is revalidated each time", async () => {
    for (const encoding of ["br", "identity"]) {
      const { headers } = await get("/assets/app-1a2b.js", { "accept-encoding": encoding });
      assert.equal(headers["cache-control"], "public, max-age=31536000, immutable");
    }
    assert.equal((await get("/keys")).headers["cache-control"], "no-cache");
  });

  test("files without a compressed version are served unchanged, and missing files are not found, for any accepted encoding", async () => {
    const accepted = { "accept-encoding": "br, gzip" };
    const font = await get("/assets/font.woff2", accepted);
    assert.deepEqual([font.status, font.headers["content-encoding"]], [200, undefined]);
    for (const path of ["/assets/gone.js", "/assets/..%2f..%2fsecret.js", "/..%2fsecret.js"]) {
      const { status, headers, body } = await get(path, accepted);
      assert.ok(status >= 400, `${path} ${status}`);
      assert.equal(headers["content-encoding"], undefined, path);
      assert.doesNotMatch(body.toString(), /a secret/, path);
    }
  });
});
