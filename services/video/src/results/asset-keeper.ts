import { AssetServiceClient } from "@uag/proto/media/v1/assets.ts";
import { balancedChannel } from "@uag/runtime/rpc/channel";
import type { Identity } from "@uag/runtime/rpc/identity";
import { replicasOf } from "@uag/runtime/rpc/replica-resolver";
import { fromStatus } from "@uag/runtime/rpc/status";
import type { BufferBudget } from "@uag/untrusted/buffer-budget";
import type { GuardedClient } from "@uag/untrusted/http/guarded";
import { downloadVideo } from "./download.ts";

const chunkBytes = 256 * 1024;
/** Files held in memory concurrently by this process, which its buffer budget accounts for. */
const maxConcurrent = 4;

/** Keeps result files available when their providers do not say for how long they do. */
export interface ResultKeeper {
  /**
   * Returns the file's new URL; undefined when all slots are busy.
   * @param accountId the owner of its task, whose memory share holds the file
   * @throws {DownloadFault} for a file that cannot be downloaded; other errors when the store has
   * not taken it
   */
  keep(url: string, accountId: string): Promise<string | undefined>;
}

export interface KeeperOptions {
  /** The asset service, as `host:port`. */
  readonly address: string;
  readonly identity: Identity;
  readonly guarded: Pick<GuardedClient, "fetch">;
  readonly buffers: BufferBudget;
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

  async keep(url: string, accountId: string): Promise<string | undefined> {
    if (this.#running >= maxConcurrent) return undefined;
    this.#running++;
    try {
      const { guarded, buffers, timeoutMs } = this.#options;
      using lease = buffers.open(accountId);
      const { contentType, bytes } = await downloadVideo(guarded, { url, timeoutMs, lease });
      return await this.#put(contentType, bytes);
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
