import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, open, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ObjectStore } from "./store.ts";

const keyShape = /^[\w.-]{1,200}(?:\/[\w.-]{1,200}){0,4}$/;

async function fileSize(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

async function sync(path: string): Promise<void> {
  await using handle = await open(path, "r");
  await handle.sync();
}

/**
 * Opens a folder of this machine as an object store. An existing file is complete and on disk.
 * Content types are not stored.
 */
export function openFolder(dir: string): ObjectStore {
  const pathOf = (id: string): string => {
    if (!keyShape.test(id) || id.includes("..")) throw new Error(`${id} is not a valid file name`);
    return join(dir, id);
  };
  return {
    async put(id, _, body) {
      const path = pathOf(id);
      const part = `${path}.part`;
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      try {
        await pipeline(
          Readable.from(body, { objectMode: false }),
          createWriteStream(part, { mode: 0o600, flush: true }),
        );
        await rename(part, path);
      } catch (error) {
        await rm(part, { force: true });
        throw error;
      }
      await sync(dirname(path));
      return (await fileSize(path)) ?? 0;
    },
    async find(id) {
      const path = pathOf(id);
      const size = await fileSize(path);
      if (size === undefined) return undefined;
      return { contentType: "application/octet-stream", size, read: async (range) => createReadStream(path, range) };
    },
    remove: (id) => rm(pathOf(id), { force: true }),
    check: async () => {
      await mkdir(dir, { recursive: true, mode: 0o700 });
      return { ok: true };
    },
    [Symbol.asyncDispose]: async () => {},
  };
}
