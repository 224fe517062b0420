import { type OperationsHarness, type StartOptions, startOperations } from "@uag/testing/start-operations.ts";
import type { Drains } from "@uag/upstreams/disconnect/drains.ts";
import { operations } from "../src/operations.ts";

/** The operations of media, and what they have hosted. */
export interface MediaHarness extends OperationsHarness {
  /** Files handed to the asset store, by the URLs they got. */
  readonly hosted: ReadonlyMap<string, HostedFile>;
}

interface HostedFile {
  readonly contentType: string;
  readonly bytes: Buffer;
}

/** An asset store that keeps files in memory. */
function memoryAssets(hosted: Map<string, HostedFile>) {
  return {
    async host(contentType: string, body: AsyncIterable<Buffer>) {
      const chunks: Buffer[] = [];
      for await (const chunk of body) chunks.push(chunk);
      const bytes = Buffer.concat(chunks);
      const url = `https://door.test/assets/${hosted.size + 1}`;
      hosted.set(url, { contentType, bytes });
      return { url, size: bytes.length, expiresAtMs: 0 };
    },
  };
}

/** What media is started with. */
export type MediaOptions = Omit<StartOptions, "operations"> & { readonly drains?: Drains };

/** The operations of media behind a real link, with an admission and an asset store of our own. */
export async function startMedia({ drains, ...options }: MediaOptions): Promise<MediaHarness> {
  const hosted = new Map<string, HostedFile>();
  const assets = memoryAssets(hosted);
  const harness = await startOperations({
    ...options,
    operations: (context) => operations({ ...context, ...(drains !== undefined && { drains }), assets }),
  });
  return { ...harness, hosted };
}

/** Headers of a form, or of whatever is sent. */
export const typed = (contentType: string) => ({ headers: ["content-type", contentType] });
