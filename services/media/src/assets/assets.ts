import type { ObjectStore } from "@uag/runtime/objects/store";
import type { AssetTokens } from "./token.ts";

interface HostedAsset {
  readonly url: string;
  readonly size: number;
  /** Expiry of the URL. */
  readonly expiresAtMs: number;
}

/** Hosts files temporarily, under URLs that only we can create. */
export interface Assets {
  host(contentType: string, body: AsyncIterable<Buffer>): Promise<HostedAsset>;
}

export interface AssetsOptions {
  readonly store: ObjectStore;
  readonly tokens: AssetTokens;
  /** Where clients reach us: the public server. */
  readonly publicUrl: string;
  readonly ttlMs: number;
}

export function createAssets({ store, tokens, publicUrl, ttlMs }: AssetsOptions): Assets {
  return {
    async host(contentType, body) {
      // One second more than promised, because the expiry is truncated to whole seconds.
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
 * A courtesy to people and programs that judge a file by its name; empty for types without a usual
 * extension.
 */
export function extensionOf(contentType: string): string {
  return extensions[contentType] ?? "";
}
