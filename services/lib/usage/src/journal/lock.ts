import { type FileHandle, rename, rm } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import type { Lock } from "./kernel.ts";

/** The kernel limits a socket's path to 107 bytes. */
const maxSocketPathLength = 100;

/** The directory that holds the locks. */
export interface LockDirectory {
  readonly path: string;
  readonly handle: FileHandle;
}

/**
 * On Linux an open descriptor also addresses the directory, which keeps the path short at any
 * depth. @throws where no path is short enough
 */
function socketPath({ path: dir, handle }: LockDirectory, name: string): string {
  const path = join(dir, name);
  if (path.length <= maxSocketPathLength) return path;
  if (process.platform === "linux") return `/proc/self/fd/${handle.fd}/${name}`;
  throw new Error(`${path} is too long for a lock on this system: at most ${maxSocketPathLength} bytes`);
}

/**
 * Holds `<owner>.lock`, a listening socket: the kernel releases it when the process dies, however
 * it died, but not while it is paused. On close, Node removes the path on which a socket started to
 * listen. Renaming the socket prevents that, so a dead process's lock remains and is distinguished
 * from one that somebody removed.
 */
export async function holdLock(dir: LockDirectory, owner: string): Promise<AsyncDisposable> {
  const server = await listen(socketPath(dir, `${owner}.new`));
  await rename(join(dir.path, `${owner}.new`), join(dir.path, `${owner}.lock`));
  return { [Symbol.asyncDispose]: () => new Promise((resolve) => void server.close(() => resolve())) };
}

async function listen(path: string): Promise<Server> {
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, resolve);
  });
  return server.unref();
}

/**
 * Tests a lock. `free` only when the kernel reports that no process listens; anything uncertain
 * counts as held.
 */
export function requestLock(dir: LockDirectory, owner: string): Promise<Lock> {
  return new Promise((resolve) => {
    const socket = connect(socketPath(dir, `${owner}.lock`));
    socket.once("connect", () => {
      socket.destroy();
      resolve("held");
    });
    socket.once("error", ({ code }: NodeJS.ErrnoException) => {
      resolve(code === "ECONNREFUSED" ? "free" : code === "ENOENT" ? "missing" : "held");
    });
  });
}

/** Removes a leftover lock file, if there is one. */
export async function removeLock(dir: LockDirectory, owner: string): Promise<void> {
  await rm(join(dir.path, `${owner}.lock`), { force: true });
}
