import { readFileSync, statSync } from "node:fs";
import type { Transport } from "@uag/catalog/types";
import { UpstreamFailure } from "../failure.ts";

export interface TlsMaterial {
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

/** How often files are checked, milliseconds: certificates may be replaced while we run. */
const checkEveryMs = 10_000;

/** The certificates for calls to one provider. */
export class TlsFiles {
  readonly #paths: readonly (readonly [name: keyof TlsMaterial, path: string])[];
  #stamp = "";
  #checkedAt = 0;

  constructor({ caFile, certFile, keyFile }: Transport) {
    const named = { ca: caFile, cert: certFile, key: keyFile };
    this.#paths = Object.entries(named).flatMap(([name, path]) =>
      path === undefined ? [] : [[name as keyof TlsMaterial, path] as const],
    );
  }

  /** @throws {UpstreamFailure} `operator` when a file cannot be read */
  read(): TlsMaterial {
    try {
      this.#stamp = this.#stampNow();
      return Object.fromEntries(this.#paths.map(([name, path]) => [name, readFileSync(path)]));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new UpstreamFailure("operator", `reading a certificate file failed: ${code}`, { cause: error });
    }
  }

  /** Whether the files have changed since they were read; checked every ten seconds at most. */
  changed(): boolean {
    if (this.#paths.length === 0) return false;
    const now = performance.now();
    if (now - this.#checkedAt < checkEveryMs) return false;
    this.#checkedAt = now;
    return this.#stampNow() !== this.#stamp;
  }

  #stampNow(): string {
    const stamps = this.#paths.map(([, path]) => statSync(path, { throwIfNoEntry: false })?.mtimeMs);
    return stamps.join(" ");
  }
}
