import { type FileHandle, mkdir, open, readdir, rename, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { diskPoint } from "./disk-point.ts";
import { refuseSharedFileSystem } from "./file-system.ts";
import { Journal, type JournalSettings } from "./journal.ts";
import { type Kernel, thisKernel, verdictOn } from "./kernel.ts";
import { holdLock, type LockDirectory, removeLock, requestLock } from "./lock.ts";

/** A journal whose owner is not known to be alive. */
export interface Abandoned {
  readonly id: string;
  /**
   * `unsure`: its owner may live under another kernel, where its lock cannot be tested, or its lock
   * file was removed.
   */
  readonly verdict: "dead" | "unsure";
  /** Unix milliseconds since when it has had no new segment. */
  readonly sinceMs: number;
  /** Its directory's name. */
  readonly name: string;
}

/**
 * A directory that processes share, each with journals of its own in
 * `<journal id>@<owner>@<node>.<boot>/`.
 */
export interface JournalDirectory extends AsyncDisposable {
  create(id: string): Promise<Journal>;
  /**
   * The journals of dead owners, and those of this process that it does not have open: opening or
   * finishing them failed.
   */
  abandoned(): Promise<Abandoned[]>;
  /**
   * Takes over a journal; undefined when another process was faster.
   * @throws whatever prevents opening it: it is then listed as abandoned again
   */
  take(abandoned: Abandoned): Promise<Journal | undefined>;
}

/** A directory of journals, and the process that opens journals in it. */
export interface JournalDirectoryOptions {
  readonly dir: string;
  /** Globally unique id of this process: letters, digits, `_`, `-`. */
  readonly owner: string;
  readonly journal: JournalSettings;
  /** `allow` permits a file system that several machines can mount. Default `refuse`. */
  readonly sharedFileSystem?: "refuse" | "allow" | undefined;
  /** Default: the running kernel. */
  readonly kernel?: Kernel;
}

/**
 * Opens `dir` for this process. Others under the same kernel see it as alive for as long as it
 * holds `<owner>.lock`: killing it releases the lock, pausing it does not, and no reused process id
 * can be mistaken for it.
 * @throws {ConfigError} when the directory is on a shared file system
 */
export async function openJournalDirectory(options: JournalDirectoryOptions): Promise<JournalDirectory> {
  const { owner, kernel = await thisKernel() } = options;
  const dir = resolve(options.dir);
  if (!/^[\w-]+$/.test(owner)) throw new RangeError("an owner's name may have only letters, digits, _ and -");
  const made = await mkdir(dir, { recursive: true });
  if (made !== undefined) await syncParents(dir, made);
  if (options.sharedFileSystem !== "allow") await refuseSharedFileSystem(dir);
  await using opening = new AsyncDisposableStack();
  const locks = { path: dir, handle: opening.use(await open(dir, "r")) };
  opening.use(await holdLock(locks, owner));
  const resources = opening.move();
  return new LockedDirectory({ ...options, dir, kernel, locks, resources });
}

interface Parts extends JournalDirectoryOptions {
  readonly kernel: Kernel;
  readonly locks: LockDirectory & { readonly handle: FileHandle };
  readonly resources: AsyncDisposableStack;
}

class LockedDirectory implements JournalDirectory {
  readonly #parts: Parts;
  /** Journals that this process has open or is opening. */
  readonly #open = new Map<string, Journal | undefined>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  #nameOf(id: string): string {
    const { owner, kernel } = this.#parts;
    return `${id}@${owner}@${kernel.node}.${kernel.boot}`;
  }

  create(id: string): Promise<Journal> {
    return this.#opened(id, async () => {
      const path = join(this.#parts.dir, this.#nameOf(id));
      diskPoint("mkdir");
      await mkdir(path);
      const journal = await Journal.open(path, this.#parts.journal);
      // Otherwise a power cut could lose the directory with its whole journal.
      await syncDirectory(this.#parts.dir);
      return journal;
    });
  }

  async #opened<J extends Journal | undefined>(id: string, open: () => Promise<J>): Promise<J> {
    this.#open.set(id, undefined);
    try {
      const journal = await open();
      if (journal === undefined) this.#open.delete(id);
      else this.#open.set(id, journal);
      return journal;
    } catch (error) {
      this.#open.delete(id);
      throw error;
    }
  }

  async abandoned(): Promise<Abandoned[]> {
    const { dir, owner, kernel } = this.#parts;
    await this.#repairLock();
    for (const [id, journal] of this.#open) if (journal?.ended) this.#open.delete(id);
    const found: Abandoned[] = [];
    for (const { id, holder, writtenUnder, name } of await this.#list()) {
      const own = holder === owner;
      if (own && this.#open.has(id)) continue;
      const verdict = own ? "dead" : verdictOn(writtenUnder, kernel, await requestLock(this.#parts.locks, holder));
      if (verdict === "alive") continue;
      const written = await stat(join(dir, name)).catch(() => undefined);
      found.push({ id, verdict, name, sinceMs: written?.mtimeMs ?? Date.now() });
    }
    await this.#removeStaleLocks();
    return found;
  }

  /** Somebody may have deleted the lock while cleaning up old files. */
  async #repairLock(): Promise<void> {
    const { locks, owner, resources } = this.#parts;
    if ((await requestLock(locks, owner)) === "missing") resources.use(await holdLock(locks, owner));
  }

  /**
   * The rename is the moment of adoption: of several contending processes, the file system lets
   * exactly one win.
   */
  take({ id, name }: Abandoned): Promise<Journal | undefined> {
    const { dir, journal } = this.#parts;
    return this.#opened(id, async () => {
      const own = this.#nameOf(id);
      if (name !== own && !(await renamed(join(dir, name), join(dir, own)))) return undefined;
      return Journal.open(join(dir, own), journal);
    });
  }

  async #list() {
    diskPoint("list");
    const names = await readdir(this.#parts.dir);
    return names.flatMap((name) => {
      // Journals of earlier versions do not record the kernel they were written under.
      const match = /^([\w-]+)@([\w-]+)(?:@([0-9a-f]+)\.([0-9a-f]+))?$/.exec(name);
      if (match === null) return [];
      const [, id = "", holder = "", node, boot] = match;
      const writtenUnder = node === undefined || boot === undefined ? undefined : { node, boot };
      return [{ id, holder, writtenUnder, name }];
    });
  }

  async #removeStaleLocks(): Promise<void> {
    const { dir, locks } = this.#parts;
    const owners = new Set((await this.#list()).map(({ holder }) => holder));
    for (const name of await readdir(dir)) {
      const owner = /^([\w-]+)\.lock$/.exec(name)?.[1];
      if (owner === undefined || owners.has(owner) || (await requestLock(locks, owner)) !== "free") continue;
      await removeLock(locks, owner);
    }
  }

  /** Removes the lock if no journals are left; otherwise it stays, free, for their adopter. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { owner, locks, resources } = this.#parts;
    const left = await this.#list();
    if (!left.some(({ holder }) => holder === owner)) await removeLock(locks, owner);
    await this.#removeStaleLocks();
    await resources.disposeAsync();
  }
}

async function syncDirectory(dir: string): Promise<void> {
  diskPoint("sync");
  await using handle = await open(dir, "r");
  await handle.sync();
}

/** Syncs the entries of a directory and of the parents that were created for it, up to `made`. */
async function syncParents(dir: string, made: string): Promise<void> {
  for (let at = dir; ; at = dirname(at)) {
    await syncDirectory(dirname(at));
    if (at === made) return;
  }
}

async function renamed(from: string, to: string): Promise<boolean> {
  diskPoint("rename");
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}
