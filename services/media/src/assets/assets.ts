import type { ObjectStore } from "@uag/kit/objects/store.ts";
import type { AssetTokens } from "./token.ts";

export interface HostedAsset {
  readonly url: string;
  readonly size: number;
  /** The URL is good until then. */
  readonly expiresAtMs: number;
}

/** Hosts files for a while under URLs that only we can make. */
export interface Assets {
  host(contentType: string, body: AsyncIterable<Buffer>): Promise<HostedAsset>;
}

export interface AssetsOptions {
  readonly store: ObjectStore;
  readonly tokens: AssetTokens;
  /** Where clients find us: the public server. */
  readonly publicUrl: string;
  readonly ttlMs: number;
}

export function createAssets({ store, tokens, publicUrl, ttlMs }: AssetsOptions): Assets {
  return {
    async host(contentType, body) {
      // A second more than promised, for the expiry is cut to whole seconds.
      const expiresAtMs = Date.now() + ttlMs + 1_000;
      const { id, token } = tokens.issue(expiresAtMs);
      const size = await store.put(id, contentType, body);
      return { url: `${publicUrl}/assets/${token}${extensionOf(contentType)}`, size, expiresAtMs };
    },
  };
}

const extensions: Readonly<Record<string, string>> = {
  "image/png": ".png",
  "image/jpeg": ".jpg",
  "image/webp": ".webp",
  "image/gif": ".gif",
  "audio/mpeg": ".mp3",
  "audio/wav": ".wav",
  "video/mp4": ".mp4",
};

/**
 * Only for people and programs that judge a file by its name; empty for a type without a usual one.
 */
export function extensionOf(contentType: string): string {
  return extensions[contentType] ?? "";
}
