import { readFile, rename, writeFile } from "node:fs/promises";
import type { Logger } from "@uag/runtime/log";

/** The last valid content of the catalogue's file, on a volume that outlives the process. */
export class LastValid {
  readonly #path: string;
  readonly #log: Logger;
  #kept: string | undefined;

  /** @param path in a folder that exists by the time of the first write */
  constructor(path: string, log: Logger) {
    this.#path = path;
    this.#log = log;
  }

  /** @returns undefined when none was ever stored */
  async read(): Promise<string | undefined> {
    return await readFile(this.#path, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined;
      throw error;
    });
  }

  /** Stores it, as a whole or not at all; processes may share the folder. A failure is logged. */
  async keep(yaml: string): Promise<void> {
    if (yaml === this.#kept) return;
    const written = `${this.#path}.${process.pid}`;
    try {
      await writeFile(written, yaml, { flush: true });
      await rename(written, this.#path);
      this.#kept = yaml;
    } catch (error) {
      this.#log.warn({ err: error, path: this.#path }, "storing the last valid catalogue failed");
    }
  }
}
