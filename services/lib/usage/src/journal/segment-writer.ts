import { constants, type PathLike } from "node:fs";
import { type FileHandle, open, rm } from "node:fs/promises";
import { diskPoint } from "./disk-point.ts";
import { encodeHeader, headerBytes } from "./frame.ts";
import { segmentPath } from "./segment.ts";

const { O_CREAT, O_EXCL, O_WRONLY, O_DSYNC } = constants;

/** `open` of `node:fs/promises`, replaceable so that tests can make the disk fail. */
export type OpenFile = (path: PathLike, flags: number) => Promise<FileHandle>;

/** The segment that a journal appends to. Writes return once the data is on disk. */
export class SegmentWriter {
  readonly number: number;
  readonly #file: FileHandle;
  #size = headerBytes;

  private constructor(number: number, file: FileHandle) {
    this.number = number;
    this.#file = file;
  }

  /**
   * Creates the file and syncs its directory entry, since a power cut could otherwise lose the
   * whole file. @throws the disk's error, after removing the file
   */
  static async begin(options: {
    dir: string;
    number: number;
    salt: number;
    openFile?: OpenFile | undefined;
  }): Promise<SegmentWriter> {
    const { dir, number, salt, openFile = open } = options;
    const path = segmentPath(dir, number);
    diskPoint("open");
    const file = await openFile(path, O_CREAT | O_EXCL | O_WRONLY | O_DSYNC);
    try {
      await writeFully(file, encodeHeader(salt), 0);
      diskPoint("sync");
      await using handle = await open(dir, "r");
      await handle.sync();
    } catch (error) {
      await file.close();
      await rm(path, { force: true });
      throw error;
    }
    return new SegmentWriter(number, file);
  }

  /** Bytes that are durable. */
  get size(): number {
    return this.#size;
  }

  async append(bytes: Uint8Array): Promise<void> {
    await writeFully(this.#file, bytes, this.#size);
    this.#size += bytes.length;
  }

  /** Truncates the segment to its last durable record after a failure. */
  async abandon(failed: (error: unknown) => void): Promise<void> {
    await this.#file.truncate(this.#size).catch(failed);
    await this.#file.close().catch(failed);
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}

async function writeFully(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  diskPoint("write");
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}
