import type { z } from "zod";
import { resolveReferences } from "./env.ts";
import { openAiOptionNames, protocols } from "./protocols.ts";
import type { providerSchema } from "./schema.ts";
import type { Provider, Transport } from "./types.ts";

type Row = z.infer<typeof providerSchema>;

/** Resolves a provider's environment references; returns the reason when it cannot be served. */
export function resolveProvider(name: string, row: Row, env: NodeJS.ProcessEnv): Provider | string {
  const { ca_file, cert_file, key_file } = row.tls;
  const written = [row.base_url, row.api_key, row.proxy, ca_file, cert_file, key_file, ...Object.values(row.headers)];
  const texts = written.map((text) => resolveReferences(text, env));
  const missing = texts.find((text) => "missing" in text);
  if (missing !== undefined) return `${name}: ${missing.missing} is not set`;
  const [baseUrl = "", apiKey = "", proxy = "", caFile, certFile, keyFile, ...values] = texts.map((text) =>
    "text" in text ? text.text : "",
  );
  const url = URL.parse(baseUrl);
  if (url === null || !/^https?:$/.test(url.protocol)) return `${name}: base_url is not an http or https URL`;
  if (proxy !== "" && proxy !== "none" && !/^https?:$/.test(URL.parse(proxy)?.protocol ?? ""))
    return `${name}: proxy is neither an http or https URL nor none`;
  const headers = Object.keys(row.headers).flatMap((header, index) =>
    values[index] === "" ? [] : [header.toLowerCase(), values[index] as string],
  );
  const { connect, first_byte, between_chunks, total } = row.timeouts;
  return {
    name,
    protocol: row.protocol,
    origin: url.origin,
    basePath: url.pathname.replace(/(?<!\/)\/+$/, ""),
    apiKey,
    headers,
    timeouts: { connectMs: connect, firstByteMs: first_byte, betweenChunksMs: between_chunks, totalMs: total },
    transport: transportOf({ proxy, caFile, certFile, keyFile }, row.connections),
    onAbort: row.on_abort,
    cachesFromTokens: row.caches_from_tokens,
    developerRole: row.developer_role ?? protocols[row.protocol].developerRole,
    openAiOptions: new Set(row.openai_options ?? (protocols[row.protocol].openAiOptions ? openAiOptionNames : [])),
  };
}

/** @param texts empty when unset */
function transportOf(
  texts: Record<"proxy" | "caFile" | "certFile" | "keyFile", string | undefined>,
  { max, queue }: Row["connections"],
): Transport {
  const transport = {
    proxy: texts.proxy || undefined,
    caFile: texts.caFile || undefined,
    certFile: texts.certFile || undefined,
    keyFile: texts.keyFile || undefined,
    maxConnections: max,
    maxQueued: queue,
  };
  return { ...transport, id: Object.values(transport).join(" ") };
}
