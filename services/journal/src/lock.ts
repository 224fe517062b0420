import { type FileHandle, rename, rm } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import type { Lock } from "./kernel.ts";

/** The kernel's limit for a socket's path is 107 bytes. */
const maxSocketPathLength = 100;

/** The directory in which locks lie. */
export interface LockDirectory {
  readonly path: string;
  readonly handle: FileHandle;
}

/**
 * Linux reaches a directory by its open descriptor too, which keeps the path short however deep the
 * directory lies.
 */
function socketPath({ path: dir, handle }: LockDirectory, name: string): string {
  const path = join(dir, name);
  return path.length <= maxSocketPathLength ? path : `/proc/self/fd/${handle.fd}/${name}`;
}

/**
 * Holds `<owner>.lock`, a listening socket: the kernel lets go of it when the process is gone,
 * however it died, and not while it is paused. Node removes the path at which a socket began to
 * listen when it closes it. That is another one here, so that the lock of a process that is gone
 * stays, and can be told from one that somebody removed.
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
 * Asks a lock. Free only when the kernel says that nobody listens; what cannot be told counts as
 * held.
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

/** Removes what a lock left behind; nothing when there is nothing. */
export async function removeLock(dir: LockDirectory, owner: string): Promise<void> {
  await rm(join(dir.path, `${owner}.lock`), { force: true });
}
