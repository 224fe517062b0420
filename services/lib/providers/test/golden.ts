import { readdirSync, readFileSync } from "node:fs";
import { parseCatalog } from "@uag/catalog/parse";
import type { Protocol, Upstream } from "@uag/catalog/types";
import type { GenerationAdapter, GenerationCall } from "../src/generation.ts";
import type { InlineSource, MediaFetcher } from "../src/media/fetch.ts";
import { generationAdapter } from "../src/registry.ts";
import { type ConversationFormat, conversationFormats } from "./formats.ts";

type Json = Record<string, unknown>;

/** Inputs and expected outputs for one client format and one upstream protocol. */
export interface GoldenFile {
  readonly client: ConversationFormat;
  readonly protocol: Protocol;
  /** The upstream's model name, for cases that set none. */
  readonly model: string;
  readonly requests: readonly { title: string; model?: string; catalog?: string; request: Json; sent: Json }[];
  readonly refused: readonly { title: string; model?: string; request: Json; param: string }[];
  readonly responses: readonly { title: string; upstream: Json; client: Json; units: Record<string, number> }[];
  readonly streams: readonly {
    title: string;
    upstream: readonly string[];
    client: readonly string[];
    units: Record<string, number>;
  }[];
}

const folder = new URL("./golden/", import.meta.url);

export const goldenFiles: readonly (GoldenFile & { name: string })[] = readdirSync(folder)
  .filter((name) => name.endsWith(".json"))
  .map((name) => ({ name, ...(JSON.parse(readFileSync(new URL(name, folder), "utf8")) as GoldenFile) }));

/** A fetcher that returns content for every URL. */
const media: MediaFetcher = {
  fetch: async (url, kind): Promise<InlineSource> => ({
    type: "inline",
    mediaType: kind === "document" ? "application/pdf" : `${kind}/png`,
    base64: Buffer.from(url).toString("base64"),
  }),
};

export interface Pair {
  readonly adapter: GenerationAdapter;
  readonly call: GenerationCall;
  readonly upstream: Upstream;
}

/** The model and call for a request of a golden file. */
export function pairOf(file: GoldenFile, given: { request?: Json; model?: string; catalog?: string } = {}): Pair {
  const { request = {}, model = file.model, catalog = "" } = given;
  const { models } = parseCatalog(
    `providers: { acme: { protocol: ${file.protocol}, base_url: "http://up.test:81", api_key: sk-secret-key } }
models:
  - id: m
    owned_by: o
    created: 0
    operations: [chat.completions, messages, responses]
    context_tokens: 200000
    max_output_tokens: 64000
    input: [text, image, file]
    price: { input_tokens: 1, output_tokens: 2 }
    upstreams: [{ provider: acme, model: ${model} }]
${catalog}`,
    {},
  );
  const found = models.get("m");
  const [upstream] = found?.upstreams ?? [];
  const adapter = upstream && generationAdapter(conversationFormats[file.client], upstream);
  if (found === undefined || upstream === undefined || adapter === undefined) throw new Error("the case does not fit");
  const call: GenerationCall = {
    requestId: "req_1",
    body: Buffer.from(JSON.stringify(request)),
    fields: request,
    model: found,
    stream: request["stream"] === true,
    usageWanted: true,
    outputCap: undefined,
    runsTools: false,
    headers: [],
    media,
  };
  return { adapter, call, upstream };
}

/** Units as an object, for comparison. */
export function unitsAsNumbers(
  units: readonly { name: string; quantity: bigint }[] | undefined,
): Record<string, number> {
  return Object.fromEntries((units ?? []).map(({ name, quantity }) => [name, Number(quantity)]));
}

/** Masks timestamps and ids that we generate. */
export function steady(text: string): string {
  return text
    .replaceAll(/"(created|created_at|completed_at)":\d+/g, '"$1":0')
    .replaceAll(/call_[0-9a-f]{24}/g, "call_new");
}
