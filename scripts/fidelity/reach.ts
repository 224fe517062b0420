import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { parseCatalog } from "@uag/catalog/parse";
import { providerEnvironments } from "@uag/catalog/provider-environment";
import type { Model } from "@uag/catalog/types";
import type { ClientFormat } from "@uag/chat/format";
import { opaque } from "@uag/chat/request/opaque";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { repoRoot } from "@uag/local/paths";
import { readJsonObject } from "@uag/pipeline/request/body";
import { UpstreamFailure } from "@uag/providers/failure";
import type { MediaFetcher } from "@uag/providers/media/fetch";
import { generationAdapter } from "@uag/providers/registry";
import type { DocumentedField, DocumentedFormat, Json } from "./documented.ts";

/** The treatment of a field at one upstream. */
export type Reach =
  | { readonly kind: "passed" | "dropped" }
  /** Members of the upstream's request that differ, such as `thinking.type`. */
  | { readonly kind: "translated"; readonly to: readonly string[] }
  /** The error that the client gets. */
  | { readonly kind: "refused"; readonly message: string };

/** The repository's catalogue, with every provider configured. */
export async function wholeCatalog(): Promise<ReadonlyMap<string, Model>> {
  const yaml = await readFile(join(repoRoot, "infra/config/catalog.yaml"), "utf8");
  const keys = providerEnvironments(yaml).flatMap(({ apiKeyVariables }) => apiKeyVariables);
  return parseCatalog(yaml, Object.fromEntries(keys.map((name) => [name, "key"]))).models;
}

/** Sends a request with and without a field through the service's own code, and compares. */
export async function reachOf(
  format: ClientFormat,
  { base }: DocumentedFormat,
  { field, model }: { readonly field: DocumentedField; readonly model: Model },
): Promise<Reach> {
  let without: Json;
  let sent: Json;
  try {
    without = await upstreamBody(format, model, { ...base, ...field.without });
    sent = await upstreamBody(format, model, { ...base, ...field.sent });
  } catch (error) {
    return { kind: "refused", message: refusal(error) };
  }
  const to = differences(without, sent);
  if (to.length === 0) return { kind: "dropped" };
  const isSame = Object.entries(field.sent).every(([name, value]) => isDeepStrictEqual(sent[name], value));
  return isSame ? { kind: "passed" } : { kind: "translated", to };
}

/** @throws anything but a refusal of the request */
function refusal(error: unknown): string {
  if (error instanceof GatewayError) return error.message;
  if (error instanceof UpstreamFailure && error.kind === "client") return error.reported?.message ?? error.message;
  throw error;
}

/** Does not fetch URLs: a URL represents its content. */
const media: MediaFetcher = {
  fetch: async () => ({ type: "inline", mediaType: "video/mp4", base64: "AAAA" }),
};

const { signal } = new AbortController();

async function upstreamBody(format: ClientFormat, model: Model, body: Json): Promise<Json> {
  const json = readJsonObject(Buffer.from(JSON.stringify({ model: model.id, ...body })), { opaque });
  const request = format.read(json, model);
  const [upstream] = model.upstreams;
  const adapter = upstream && generationAdapter(format.format, upstream);
  if (upstream === undefined || adapter === undefined) throw new Error(`${model.id} does not support ${format.name}`);
  const { stream, usageWanted } = request;
  const call = { requestId: "req_1", body: request.body, fields: request.fields, model, stream, usageWanted };
  const encoded = await adapter.encode(
    { ...call, outputCap: undefined, runsTools: false, headers: [], media },
    upstream,
    signal,
  );
  return JSON.parse(encoded.body.toString("utf8")) as Json;
}

/** Paths of the values that differ; a list that became longer or shorter differs as a whole. */
function differences(before: unknown, after: unknown, path = ""): string[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length)
    return unique(after.flatMap((value, index) => differences(before[index], value, `${path}[]`)));
  if (before === undefined && isRecord(after)) return differences({}, after, path);
  if (!isRecord(before) || !isRecord(after)) return [path];
  const names = unique([...Object.keys(before), ...Object.keys(after)]);
  return names.flatMap((name) => differences(before[name], after[name], path === "" ? name : `${path}.${name}`));
}

const unique = (texts: readonly string[]): string[] => [...new Set(texts)];

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
