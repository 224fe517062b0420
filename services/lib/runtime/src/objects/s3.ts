import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { type S3Call, type S3Options, s3Call } from "./s3-call.ts";
import { abortUpload, finishUpload, startUpload } from "./s3-upload.ts";
import type { ObjectStore } from "./store.ts";

/** S3 requires parts of at least 5 MiB; a smaller file is uploaded in one call. */
const partBytes = 8 * 1024 * 1024;

/**
 * Opens a bucket of any S3-compatible server as an object store. The bucket's own lifecycle rule
 * removes expired files.
 */
export function openS3(options: S3Options): ObjectStore {
  const call = s3Call(options);
  const keyOf = (id: string): string => `${options.prefix}${id}`;
  return {
    put: (id, contentType, body) => upload(call, keyOf(id), { contentType, body }),
    async find(id) {
      const head = await call("HEAD", keyOf(id), { ok: [200, 404] });
      if (head.status === 404) return undefined;
      return {
        contentType: head.headers.get("content-type") ?? "application/octet-stream",
        size: Number(head.headers.get("content-length")),
        async read({ start, end }) {
          const headers = { range: `bytes=${start}-${end}` };
          const { body } = await call("GET", keyOf(id), { headers, ok: [200, 206] });
          return body === null ? Readable.from([]) : Readable.fromWeb(body as ReadableStream);
        },
      };
    },
    async remove(id) {
      await call("DELETE", keyOf(id), { ok: [200, 204, 404] });
    },
    check: async () => {
      await call("HEAD", "", { ok: [200, 403] });
      return { ok: true };
    },
    [Symbol.asyncDispose]: async () => {},
  };
}

interface Upload {
  readonly contentType: string;
  readonly body: AsyncIterable<Buffer>;
}

async function upload(call: S3Call, key: string, { contentType, body }: Upload): Promise<number> {
  const headers = { "content-type": contentType };
  const tags: string[] = [];
  let uploadId: string | undefined;
  let size = 0;
  try {
    for await (const { part, last } of partsOf(body)) {
      size += part.length;
      if (last && uploadId === undefined) {
        await call("PUT", key, { headers, body: part });
        return size;
      }
      uploadId ??= await startUpload(call, key, headers);
      const query = { partNumber: String(tags.length + 1), uploadId };
      const response = await call("PUT", key, { query, body: part });
      tags.push(response.headers.get("etag") ?? "");
    }
    if (uploadId !== undefined) await finishUpload(call, key, { uploadId, tags });
    return size;
  } catch (error) {
    if (uploadId !== undefined) await abortUpload(call, key, uploadId);
    throw error;
  }
}

/**
 * The body in pieces of {@link partBytes}; only the last is shorter, and at least one is returned.
 */
async function* partsOf(body: AsyncIterable<Buffer>): AsyncGenerator<{ part: Buffer; last: boolean }> {
  let held: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    held.push(chunk);
    size += chunk.length;
    while (size > partBytes) {
      const all = Buffer.concat(held, size);
      yield { part: all.subarray(0, partBytes), last: false };
      held = [all.subarray(partBytes)];
      size -= partBytes;
    }
  }
  yield { part: Buffer.concat(held, size), last: true };
}
