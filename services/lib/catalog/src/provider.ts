import type { z } from "zod";
import { type CredentialRow, capsOf, credentialOf, onlyCredential, seedOf } from "./credential.ts";
import { referencesIn, resolveReferences } from "./env.ts";
import { secretOf } from "./identity.ts";
import type { OverlayCredential } from "./overlay.ts";
import { openAiOptionNames, protocols } from "./protocols.ts";
import type { providerSchema } from "./provider-schema.ts";
import type { CircuitSettings, Credential, Provider, ProviderAccess, Transport } from "./types.ts";

type Row = z.infer<typeof providerSchema>;

/** What operators set for a provider on top of the file. */
export interface ProviderChanges {
  readonly enabled: boolean;
  /** The whole provider is the operators'; without a credential it is called without a key. */
  readonly added: boolean;
  /** The base URL is the operators', not the file's. */
  readonly addressed: boolean;
  /** Oldest first. */
  readonly credentials: readonly OverlayCredential[];
}

const unchanged: ProviderChanges = { enabled: true, added: false, addressed: false, credentials: [] };

/** The names of the providers that the simulator replaces, in a comma-separated setting. */
export const simulatedSetting = "SIMULATED_PROVIDERS";

/**
 * Resolves a provider's environment references; returns the reason when it cannot be served.
 *
 * The file's key and headers from the environment are sent only to the file's address: an
 * operator who changes a provider's address over the admin API must not receive them.
 */
export function resolveProvider(
  name: string,
  row: Row,
  env: NodeJS.ProcessEnv,
  changes: ProviderChanges = unchanged,
): Provider | string {
  const { enabled, addressed, credentials } = changes;
  const { ca_file, cert_file, key_file } = row.tls;
  const transport = textsOf([row.proxy, ca_file, cert_file, key_file], env);
  const headers = headersOf(row.headers, env, addressed);
  for (const texts of [transport, headers]) if (typeof texts === "string") return `${name}: ${texts}`;
  const [proxy = "", caFile, certFile, keyFile] = transport as string[];
  if (proxy !== "" && proxy !== "none" && !/^https?:$/.test(URL.parse(proxy)?.protocol ?? ""))
    return `${name}: proxy is neither an http or https URL nor none`;
  const simulated = env[simulatedSetting]?.split(",").includes(name) === true;
  const accesses = accessesOf(name, row, { env, simulated, ...changes });
  const { access, inUse } = chosenOf(row, accesses, credentials);
  if (typeof access === "string") return `${name}: ${access}`;
  const { connect, first_byte, between_chunks, total } = row.timeouts;
  return {
    name,
    protocol: row.protocol,
    seed: seedOf(name),
    enabled,
    ...access,
    accesses: new Map(
      [...accesses.values()].flatMap((each) => (typeof each === "string" ? [] : [[each.credential.id, each]])),
    ),
    inUse,
    isCapped: inUse.some(({ caps }) => caps !== undefined),
    headers: headers as string[],
    timeouts: { connectMs: connect, firstByteMs: first_byte, betweenChunksMs: between_chunks, totalMs: total },
    circuit: circuitOf(row.circuit),
    adaptiveConcurrency: row.adaptive_concurrency,
    transport: transportOf({ proxy, caFile, certFile, keyFile }, { ...row.connections, guarded: addressed }),
    onAbort: row.on_abort,
    responsesApi: row.responses_api,
    apiVersion: row.api_version,
    unsupportedFields: new Set(row.unsupported_fields),
    cachesFromTokens: row.caches_from_tokens,
    developerRole: row.developer_role ?? protocols[row.protocol].developerRole,
    freeFields: new Set(row.free_fields),
    openAiOptions: new Set(row.openai_options ?? (protocols[row.protocol].openAiOptions ? openAiOptionNames : [])),
  };
}

const circuitOf = ({ failure_share, min_calls, window, open, max_open, probes }: Row["circuit"]): CircuitSettings => ({
  failureShare: failure_share,
  minCalls: min_calls,
  windowMs: window,
  openMs: open,
  maxOpenMs: max_open,
  probes,
});

/** Resolved texts, or why one cannot be. */
function textsOf(written: readonly string[], env: NodeJS.ProcessEnv): string[] | string {
  const texts = written.map((text) => resolveReferences(text, env));
  const missing = texts.find((text) => "missing" in text);
  if (missing !== undefined) return `${missing.missing} is not set`;
  return texts.map((text) => ("text" in text ? text.text : ""));
}

/** Alternating names and values, or why one cannot be resolved. */
function headersOf(rows: Row["headers"], env: NodeJS.ProcessEnv, addressed: boolean): string[] | string {
  // With an address of the operators' only what the file spells out is sent.
  const own = Object.entries(rows).filter(([, value]) => !addressed || referencesIn(value).length === 0);
  const values = textsOf(
    own.map(([, value]) => value),
    env,
  );
  if (typeof values === "string") return values;
  return own.flatMap(([header], index) => (values[index] ? [header.toLowerCase(), values[index]] : []));
}

type Accesses = ReadonlyMap<string, ProviderAccess | string>;

/** The file's credentials. */
function rowsOf({ api_key: apiKey = "", credentials }: Row): (CredentialRow & { readonly apiKey: string })[] {
  if (credentials === undefined) return [{ ...onlyCredential, apiKey }];
  return credentials.map(({ api_key, daily_cap_usd: daily, monthly_cap_usd: monthly, ...row }) => {
    return { ...row, id: row.name, apiKey: api_key, caps: capsOf(daily, monthly) };
  });
}

/**
 * What new requests use: the operators' enabled credentials, else those of the file. Of equal ones
 * the newest is preferred.
 */
function chosenOf(
  row: Row,
  accesses: Accesses,
  credentials: readonly OverlayCredential[],
): { readonly access: ProviderAccess | string; readonly inUse: readonly Credential[] } {
  const enabled = credentials.filter((credential) => credential.enabled).reverse();
  const candidates = (enabled.length > 0 ? enabled : rowsOf(row)).map(({ id }) => accesses.get(id));
  const usable = candidates
    .filter((access) => typeof access === "object")
    .sort((a, b) => a.credential.priority - b.credential.priority);
  const [access = candidates[0] ?? "no credential is set"] = usable;
  return { access, inUse: usable.map(({ credential }) => credential) };
}

/** How the provider is reached with each credential, or why not; the file's only key is under "". */
function accessesOf(
  name: string,
  row: Row,
  {
    env,
    simulated,
    added,
    addressed,
    credentials,
  }: Omit<ProviderChanges, "enabled"> & {
    readonly env: NodeJS.ProcessEnv;
    readonly simulated: boolean;
  },
): Accesses {
  const accesses = new Map<string, ProviderAccess | string>();
  const baseUrl = row.base_url;
  const add = (of: CredentialRow & { apiKey: string; simulated: boolean }, addressIn: Env, keyIn: Env | undefined) =>
    accesses.set(of.id, accessOf({ ...of, provider: name, baseUrl }, addressIn, keyIn));
  if (!addressed) for (const own of rowsOf(row)) add({ ...own, simulated }, env, env);
  else if (added && credentials.length === 0) add({ ...onlyCredential, apiKey: "", simulated: false }, {}, undefined);
  // The variable of a simulated provider's address names the simulator, which replaces only the file's keys.
  const addressEnv = simulated ? {} : env;
  for (const { secret, dailyCapUsd, monthlyCapUsd, ...row } of credentials) {
    const credential = { ...row, caps: capsOf(dailyCapUsd, monthlyCapUsd) };
    const [apiKey, keyEnv] = "value" in secret ? [secret.value, undefined] : [secret.reference, env];
    add({ ...credential, apiKey, simulated: false }, addressEnv, keyEnv);
  }
  return accesses;
}

type Env = NodeJS.ProcessEnv;

/** @param keyEnv undefined: the key is taken literally */
function accessOf(
  of: CredentialRow & { provider: string; baseUrl: string; apiKey: string; simulated: boolean },
  addressEnv: Env,
  keyEnv: Env | undefined,
): ProviderAccess | string {
  const address = textsOf([of.baseUrl], addressEnv);
  if (typeof address === "string") return address;
  const keys = keyEnv === undefined ? [of.apiKey] : textsOf([of.apiKey], keyEnv);
  if (typeof keys === "string") return keys;
  const url = URL.parse(address[0] ?? "");
  if (url === null || !/^https?:$/.test(url.protocol)) return "base_url is not an http or https URL";
  const basePath = url.pathname.replace(/(?<!\/)\/+$/, "");
  const secret = secretOf(keys[0] ?? "", keyEnv);
  if (typeof secret === "string") return secret;
  const credential = credentialOf(of.provider, of, secret);
  return { credential, simulated: of.simulated, origin: url.origin, basePath, ...secret };
}

/** @param texts empty when unset */
function transportOf(
  texts: Record<"proxy" | "caFile" | "certFile" | "keyFile", string | undefined>,
  { max, queue, guarded }: Row["connections"] & { readonly guarded: boolean },
): Transport {
  const transport = {
    proxy: texts.proxy || undefined,
    caFile: texts.caFile || undefined,
    certFile: texts.certFile || undefined,
    keyFile: texts.keyFile || undefined,
    maxConnections: max,
    maxQueued: queue,
    guarded,
  };
  return { ...transport, id: Object.values(transport).join(" ") };
}
