import { fstatSync, ftruncateSync, readSync, writeSync } from "node:fs";
import { copyFile, type FileHandle, mkdir, open, readFile, rename } from "node:fs/promises";
import { dirname } from "node:path";

export interface LogLimits {
  /** A log that reaches this many bytes is rotated. */
  readonly maxBytes: number;
  /** Rotated parts to keep, as `<path>.1` (the newest), `<path>.2`, ... */
  readonly parts: number;
  /** Interval of size checks; a log may exceed its limit by the bytes written in between. */
  readonly everyMs: number;
}

const defaultLimits: LogLimits = { maxBytes: 16 * 1024 * 1024, parts: 4, everyMs: 1_000 };
const copyBytes = 64 * 1024;

/**
 * The log of a process, which writes to it directly (in append mode, so that truncation works). Its
 * disk usage stays within its limits: the billing journals are on the same disk.
 */
export class LogFile implements AsyncDisposable {
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #limits: LogLimits;
  readonly #timer: NodeJS.Timeout;
  #rotating: Promise<void> | undefined;

  private constructor(path: string, file: FileHandle, limits: LogLimits) {
    this.#path = path;
    this.#file = file;
    this.#limits = limits;
    this.#timer = setInterval(() => this.#rotateIfFull(), limits.everyMs).unref();
  }

  /** Opens a log for appending; an earlier run's log becomes the newest rotated part. */
  static async open(path: string, limits: LogLimits = defaultLimits): Promise<LogFile> {
    await mkdir(dirname(path), { recursive: true });
    await shift(path, limits.parts);
    await renameIfThere(path, `${path}.1`);
    return new LogFile(path, await open(path, "a+", 0o600), limits);
  }

  /** The file descriptor for the process's output. */
  get fd(): number {
    return this.#file.fd;
  }

  #rotateIfFull(): void {
    if (this.#rotating !== undefined || fstatSync(this.fd).size < this.#limits.maxBytes) return;
    this.#rotating = this.#rotate()
      .catch((error: unknown) => void process.stderr.write(`${this.#path} could not be rotated: ${error}\n`))
      .finally(() => {
        this.#rotating = undefined;
      });
  }

  /** Copies and truncates: the process keeps writing to the same file. */
  async #rotate(): Promise<void> {
    await shift(this.#path, this.#limits.parts);
    const part = `${this.#path}.1`;
    await copyFile(this.#path, part);
    await using copy = await open(part, "a");
    // Synchronous from here on: only lines written between the last read and the truncation, within
    // microseconds, are lost.
    moveRest(this.fd, copy.fd);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await this.#rotating;
    await this.#file.close();
  }
}

/** Copies the bytes written since, and truncates the file. */
function moveRest(from: number, to: number): void {
  const buffer = Buffer.allocUnsafe(copyBytes);
  let at = fstatSync(to).size;
  for (;;) {
    const bytes = readSync(from, buffer, 0, copyBytes, at);
    if (bytes === 0) break;
    at += writeSync(to, buffer, 0, bytes);
  }
  ftruncateSync(from, 0);
}

/** Makes room for a new part; the oldest is dropped. */
async function shift(path: string, parts: number): Promise<void> {
  for (let n = parts - 1; n >= 1; n--) await renameIfThere(`${path}.${n}`, `${path}.${n + 1}`);
}

async function renameIfThere(from: string, to: string): Promise<void> {
  await rename(from, to).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
}

/** The last lines of a log, for a message to the user. */
export async function tailOf(path: string, lines: number): Promise<string> {
  const text = await readFile(path, "utf8").catch(() => "");
  return text.trimEnd().split("\n").slice(-lines).join("\n");
}
