import { type OperationsHarness, type StartOptions, startOperations } from "@uag/harness/start-operations";
import type { Drains } from "@uag/providers/disconnect/drains";
import { operations } from "../src/operations.ts";

/** A catalogue with one model, for operations that use none. */
export const catalog = `
providers:
  dash: { protocol: dashscope, base_url: "http://127.0.0.1:9", api_key: none }
models:
  - { id: alpha-image-2.0, owned_by: a, created: 2026-01-01, operations: [images.generations], price: { images: 0.05 },
      upstreams: [{ provider: dash }], image: { family: alpha, sizes: ["1024*1024"], default_size: "1024*1024" } }
`;

/** The operations of media, and the files they have hosted. */
export interface MediaHarness extends OperationsHarness {
  /** Files handed to the asset store, by URL. */
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

/** Options for starting media. */
export type MediaOptions = Omit<StartOptions, "operations"> & { readonly drains?: Drains };

/** The operations of media behind a real link, with a fake admission and asset store. */
export async function startMedia({ drains, ...options }: MediaOptions): Promise<MediaHarness> {
  const hosted = new Map<string, HostedFile>();
  const assets = memoryAssets(hosted);
  const harness = await startOperations({
    ...options,
    operations: (context) => operations({ ...context, ...(drains !== undefined && { drains }), assets }),
  });
  return { ...harness, hosted };
}

/** Headers that declare a content type. */
export const typed = (contentType: string) => ({ headers: ["content-type", contentType] });
