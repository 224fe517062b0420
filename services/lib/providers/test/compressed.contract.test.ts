import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import type { Timeouts } from "@uag/catalog/types";
import type { UpstreamFailure } from "../src/failure.ts";
import type { HttpResponse } from "../src/http/call.ts";
import { chunksOf } from "../src/http/chunks.ts";
import { HttpPools } from "../src/http/pools.ts";
import { failureOf } from "./failure-of.ts";
import { longTimeouts, originOf, post } from "./post.ts";

const encodings: readonly (readonly [name: string, compress: (plain: Buffer) => Buffer])[] = [
  ["gzip", gzipSync],
  ["br", (plain) => brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
  ["deflate", deflateSync],
  ["zstd", (plain) => zstdCompressSync(plain)],
];
const pools = new HttpPools();
let encoding = "";
let body: Buffer = Buffer.alloc(0);
let closed = Promise.withResolvers<void>();
let sent = 0;
const server = createServer((_, response) => {
  closed = Promise.withResolvers<void>();
  sent = 0;
  response.on("close", () => closed.resolve());
  response.writeHead(200, { "content-encoding": encoding });
  const more = (): void => {
    while (sent < body.length) {
      const piece = body.subarray(sent, sent + 10_000);
      sent += piece.length;
      if (!response.write(piece)) return void response.once("drain", more);
    }
    response.end();
  };
  more();
});
// Compressing takes this process longer than a server's usual keep-alive timeout.
server.keepAliveTimeout = 0;
let origin = "";

before(async () => {
  origin = await originOf(server);
});
after(async () => {
  await pools[Symbol.asyncDispose]();
  server.closeAllConnections();
  server.close();
});

const call = (more: Partial<Timeouts> = {}): Promise<HttpResponse> =>
  post(pools, origin, { timeouts: { ...longTimeouts, ...more } });

/** Neither uniform nor incompressible: some 20 MB that compress to about 2 MB. */
const plain = Buffer.from(
  Array.from(
    { length: 400_000 },
    (_, i) => `data: ${(i * 2_654_435_761) % 4_294_967_296} and on it goes, line by line\n`,
  ).join(""),
);

for (const [name, compress] of encodings) {
  test(`${name}: a paused reader receives nothing until it resumes, then every byte`, async () => {
    encoding = name;
    body = compress(plain);
    const response = await call({ betweenChunksMs: 200 });
    const chunks: Buffer[] = [];
    let size = 0;
    let paused = false;
    let pauses = 0;
    await new Promise<void>((end, error) =>
      response.consume({
        data: (chunk) => {
          assert.ok(!paused, "it had paused");
          chunks.push(chunk);
          size += chunk.length;
          if (pauses === 3 || size < (pauses + 1) * 3_000_000) return;
          pauses++;
          paused = true;
          response.pause();
          setTimeout(() => {
            paused = false;
            response.resume();
          }, 300);
        },
        end,
        error,
      }),
    );
    assert.equal(pauses, 3);
    assert.ok(Buffer.concat(chunks).equals(plain));
  });

  test(`${name}: a slow reader applies backpressure to the socket and may stop at any time`, async () => {
    encoding = name;
    // Incompressible bytes, so that the socket has something to hold back.
    const noise = Buffer.alloc(30_000_000);
    for (let i = 0, x = 1; i < noise.length; i += 4) {
      x = (Math.imul(x, 1_664_525) + 1_013_904_223) | 0;
      noise.writeInt32LE(x, i);
    }
    body = compress(noise);
    let chunks = 0;
    for await (const _ of chunksOf(await call())) {
      if (++chunks > 1) continue;
      await sleep(300);
      assert.ok(sent < 20_000_000, `${sent} bytes had been sent`);
      break;
    }
    await closed.promise;
  });

  test(`${name}: a failing sink fails only its own call, once, at the first byte or at the end`, async () => {
    encoding = name;
    body = compress(Buffer.from("hello"));
    const fault = new Error("a fault of ours");
    for (const at of ["data", "end"] as const) {
      const response = await call();
      const failures: UpstreamFailure[] = [];
      await new Promise<void>((report) =>
        response.consume({
          data: () => {
            if (at === "data") throw fault;
          },
          end: () => {
            throw fault;
          },
          error: (failure) => {
            failures.push(failure);
            report();
          },
        }),
      );
      await sleep(10);
      assert.deepEqual(
        failures.map(({ cause }) => cause),
        [fault],
      );
    }
  });

  test(`${name}: decompresses a bomb only as far as it is read`, async () => {
    encoding = name;
    body = compress(Buffer.alloc(200_000_000));
    assert.ok(body.length < 1_000_000);
    const before = process.memoryUsage().rss;
    assert.equal((await failureOf((await call()).read(1_000_000))).kind, "transient");
    for await (const _ of chunksOf(await call())) {
      await sleep(100);
      break;
    }
    const grown = (process.memoryUsage().rss - before) / 1024 / 1024;
    assert.ok(grown < 100, `${grown} MiB more`);
  });

  test(`${name}: a truncated, mislabelled or aborted response is a failure`, async () => {
    encoding = name;
    const whole = compress(plain.subarray(0, 100_000));
    for (const broken of [whole.subarray(0, whole.length - 20), Buffer.from("not compressed at all".repeat(10))]) {
      body = broken;
      assert.equal((await failureOf((await call()).read(1e6))).kind, "transient");
    }
    body = compress(plain);
    const response = await call();
    const reading = failureOf(response.read(1e8));
    response.cancel();
    assert.equal((await reading).kind, "cancelled");
  });
}

test("rejects stacked and unknown encodings", async () => {
  body = Buffer.from("x");
  for (const name of ["gzip, br", "snappy"]) {
    encoding = name;
    assert.equal((await failureOf((await call()).read(100))).kind, "transient");
  }
});
