import { type FileHandle, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import { Journal, type JournalSettings } from "./journal.ts";

/** A directory that processes share, each with journals of its own in `<journal id>@<owner>/`. */
export interface JournalHome extends AsyncDisposable {
  create(id: string): Promise<Journal>;
  /** Takes over the journals whose owner is dead; another process that tries the same gets none of them. */
  adopt(): Promise<{ id: string; journal: Journal }[]>;
}

export interface JournalHomeOptions {
  readonly dir: string;
  /** This process, unique for ever: letters, digits, `_`, `-`. */
  readonly owner: string;
  readonly journal: JournalSettings;
}

/** The kernel's limit for a socket's path is 107 bytes. */
const longestSocketPath = 100;

/**
 * Opens `dir` for this process. It is alive to others for as long as the kernel holds its listening socket
 * `<owner>.lock`: a kill closes that, a pause does not, and no process id can be mistaken for another's.
 */
export async function openJournalHome(options: JournalHomeOptions): Promise<JournalHome> {
  const { dir, owner } = options;
  if (!/^[\w-]+$/.test(owner)) throw new RangeError("an owner has letters, digits, _ and -");
  await mkdir(dir, { recursive: true });
  const handle = await open(dir, "r");
  const lock = await listen(socketPath(dir, handle, owner));
  return {
    create: (id) => Journal.open(join(dir, `${id}@${owner}`), options.journal),
    async adopt() {
      const adopted: { id: string; journal: Journal }[] = [];
      for (const { id, holder } of await listJournals(dir)) {
        if (holder === owner || (await isAlive(socketPath(dir, handle, holder)))) continue;
        const path = join(dir, `${id}@${owner}`);
        if (!(await renamed(join(dir, `${id}@${holder}`), path))) continue;
        adopted.push({ id, journal: await Journal.open(path, options.journal) });
      }
      await removeStaleLocks(dir, handle);
      return adopted;
    },
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => lock.close(resolve));
      await handle.close();
    },
  };
}

/** Linux reaches a directory by its open descriptor too, which keeps the path short however deep the directory lies. */
function socketPath(dir: string, handle: FileHandle, owner: string): string {
  const path = join(dir, `${owner}.lock`);
  return path.length <= longestSocketPath ? path : `/proc/self/fd/${handle.fd}/${owner}.lock`;
}

async function listJournals(dir: string): Promise<{ id: string; holder: string }[]> {
  const names = (await readdir(dir)).map((name) => /^([\w-]+)@([\w-]+)$/.exec(name));
  return names.flatMap((match) => (match ? [{ id: match[1] as string, holder: match[2] as string }] : []));
}

/** Renaming is the moment of adoption: of several processes that try, the file system lets one win. */
async function renamed(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

async function removeStaleLocks(dir: string, handle: FileHandle): Promise<void> {
  const owners = new Set((await listJournals(dir)).map(({ holder }) => holder));
  for (const name of await readdir(dir)) {
    const owner = /^([\w-]+)\.lock$/.exec(name)?.[1];
    if (owner === undefined || owners.has(owner) || (await isAlive(socketPath(dir, handle, owner)))) continue;
    await rm(join(dir, name), { force: true });
  }
}

async function listen(path: string): Promise<Server> {
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, resolve);
  });
  return server.unref();
}

/** Dead only when the kernel says that nobody listens; any other error counts as alive. */
function isAlive(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", (error: NodeJS.ErrnoException) => {
      resolve(error.code !== "ECONNREFUSED" && error.code !== "ENOENT");
    });
  });
}
