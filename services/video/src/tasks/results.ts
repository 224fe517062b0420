import { AssetServiceClient } from "@uag/proto/media/v1/assets.ts";
import { balancedChannel } from "@uag/runtime/rpc/channel";
import type { Identity } from "@uag/runtime/rpc/identity";
import { replicasOf } from "@uag/runtime/rpc/replica-resolver";
import { fromStatus } from "@uag/runtime/rpc/status";
import type { GuardedClient } from "@uag/untrusted/http/guarded";

const maxBytes = 256 * 1024 * 1024;
const chunkBytes = 256 * 1024;
/** Files held in memory concurrently by this process. */
const maxConcurrent = 4;

/** Keeps result files available when their providers do not say for how long they do. */
export interface ResultKeeper {
  /**
   * Returns the file's new URL; undefined when all slots are busy. Rejects when the file cannot be
   * fetched.
   */
  keep(url: string): Promise<string | undefined>;
}

export interface KeeperOptions {
  /** The asset service, as `host:port`. */
  readonly address: string;
  readonly identity: Identity;
  readonly guarded: Pick<GuardedClient, "fetch">;
  /** For the fetch and for the store, each. */
  readonly timeoutMs: number;
}

/** Copies result files into the asset store. */
export class AssetKeeper implements ResultKeeper, Disposable {
  readonly #options: KeeperOptions;
  readonly #client: AssetServiceClient;
  #running = 0;

  constructor(options: KeeperOptions) {
    this.#options = options;
    this.#client = new AssetServiceClient(
      replicasOf(options.address),
      options.identity.channel(["media"]),
      balancedChannel,
    );
  }

  async keep(url: string): Promise<string | undefined> {
    if (this.#running >= maxConcurrent) return undefined;
    this.#running++;
    try {
      const { guarded, timeoutMs } = this.#options;
      const { status, headers, body } = await guarded.fetch(url, { timeoutMs, maxBytes, maxRedirects: 3 });
      if (status !== 200) throw new Error(`the result file's URL returned status ${status}`);
      const reported = headers["content-type"];
      const type =
        typeof reported === "string" && reported.startsWith("video/")
          ? (reported.split(";", 1)[0] as string)
          : "video/mp4";
      return await this.#put(type, body);
    } finally {
      this.#running--;
    }
  }

  #put(contentType: string, body: Buffer): Promise<string> {
    return new Promise((resolve, reject) => {
      const deadline = Date.now() + this.#options.timeoutMs;
      const call = this.#client.put({ deadline }, (error, response) =>
        error === null ? resolve(response.url) : reject(fromStatus(error)),
      );
      // Errors are reported to the callback.
      call.on("error", () => {});
      call.write({ part: { $case: "head", value: { contentType } } });
      for (let at = 0; at < body.length; at += chunkBytes) {
        call.write({ part: { $case: "chunk", value: body.subarray(at, at + chunkBytes) } });
      }
      call.end();
    });
  }

  [Symbol.dispose](): void {
    this.#client.close();
  }
}
