import { createHash } from "node:crypto";
import { unionFault } from "@uag/untrusted/union-fault";
import { CORE_SCHEMA, load, mergeTag, YAMLException } from "js-yaml";
import type { z } from "zod";
import { CatalogError } from "./catalog-error.ts";
import { fallbackFaults } from "./fallback-faults.ts";
import { type CatalogOverlay, noOverlay, withOverlay } from "./overlay.ts";
import { pooled } from "./pool.ts";
import type { ModelPrice } from "./price.ts";
import { priceInForce, priceVersions, versionFaults, withAccepted } from "./price-versions.ts";
import { type ProviderChanges, resolveProvider } from "./provider.ts";
import { responsesApiFaults } from "./responses-api-faults.ts";
import {
  catalogSchema,
  type imageSchema,
  type modelSchema,
  type speechSchema,
  type transcriptionSchema,
} from "./schema.ts";
import { boundedUnits, missingUnits, type UnitsByOperation, unboundedUnits } from "./sizing.ts";
import type {
  Catalog,
  ImageLimits,
  Model,
  PriceVersion,
  PriceVersionRow,
  Provider,
  Reasoning,
  SpeechTraits,
  TranscriptionTraits,
  Upstream,
} from "./types.ts";
import type { UnitName } from "./units.ts";
import { unpricedCosts, upstreamCost } from "./upstream-cost.ts";

type Row = z.infer<typeof catalogSchema>;

/** What is in force in addition to the file. */
export interface CatalogChanges {
  /** Prices that were accepted outside it. */
  readonly accepted?: readonly PriceVersionRow[];
  /** What operators changed in the running gateway. */
  readonly overlay?: CatalogOverlay;
}

/**
 * Parses a catalogue. Omits providers with unset environment references, and models that then have
 * no upstream.
 * @param options.nowMs prices are those in force then, unix milliseconds; default: now
 * @throws {CatalogError}
 */
export function parseCatalog(
  yaml: string,
  env: NodeJS.ProcessEnv,
  { nowMs = Date.now(), accepted = [], overlay = noOverlay }: CatalogChanges & { readonly nowMs?: number } = {},
): Catalog {
  const row = readRows(yaml, boundedUnits, { accepted, overlay });
  const providers = new Map<string, Provider>();
  const unserved: string[] = [];
  for (const [name, provider] of Object.entries(row.providers)) {
    const resolved = resolveProvider(name, provider, env, changesOf(overlay, name));
    if (typeof resolved === "string") unserved.push(resolved);
    else providers.set(name, resolved);
    if (typeof resolved !== "string" && !resolved.enabled) unserved.push(`${name}: an operator disabled it`);
  }
  const off = new Set(overlay.models.flatMap(({ name, enabled }) => (enabled ? [] : [name])));
  const models = new Map<string, Model>();
  const prices = new Map<string, PriceVersion[]>();
  for (const model of row.models) {
    const versions = priceVersions(model, row.price_versions);
    prices.set(model.id, versions);
    if (off.has(model.id)) continue;
    const price = priceInForce(versions, nowMs);
    const upstreams = upstreamsOf(model, providers, price);
    if (upstreams.length > 0) models.set(model.id, { ...modelOf(model), upstreams, prices: versions, price });
  }
  const hash = createHash("sha256").update(yaml);
  for (const provider of providers.values()) {
    hash.update(`\n${provider.name} ${provider.origin}${provider.basePath} ${provider.transport.id}`);
    // Keys and headers may come from files, which a rotation replaces.
    const keys = [...provider.accesses.values()].map(
      ({ apiKey, identity }) => apiKey + (JSON.stringify(identity) ?? ""),
    );
    hash.update(`\n${[...keys, ...provider.headers].join(" ")}`);
  }
  const rows = row.price_versions ?? [];
  hash.update(`\n${overlay.version} ${JSON.stringify(accepted)}`);
  hash.update(`\n${rows.filter(({ effective_from: from }) => Date.parse(from) <= nowMs).length}`);
  const version = hash.digest("hex").slice(0, 12);
  const aliases = new Map([...models.values()].flatMap(({ id, aliases: own = [] }) => own.map((name) => [name, id])));
  const about = { version, overlayVersion: overlay.version, unserved, priceVersions: rows };
  return { ...about, models, aliases, prices, providers };
}

function changesOf({ providers, credentials }: CatalogOverlay, name: string): ProviderChanges {
  const changed = providers.find((provider) => provider.name === name);
  return {
    enabled: changed?.enabled ?? true,
    added: changed?.added ?? false,
    addressed: changed !== undefined && Object.hasOwn(changed.fields, "base_url"),
    credentials: credentials.filter(({ provider }) => provider === name),
  };
}

/**
 * The validated catalogue as written, without resolving environment references.
 * Accepted prices follow those of the file.
 * @param bounded the units that each operation's sizing bounds: no other may have a price
 * @throws {CatalogError}
 */
export function readRows(
  yaml: string,
  bounded: UnitsByOperation = boundedUnits,
  { accepted = [], overlay = noOverlay }: CatalogChanges = {},
): Row {
  const own = rowOf(yaml, overlay);
  const row = withAccepted(own, accepted);
  const faults = crossFaults(own, bounded);
  if (row !== own) faults.push(...versionFaults(row, (model) => priceFaults(model, bounded)));
  if (faults.length > 0) throw new CatalogError(`The catalogue is not valid:\n${faults.join("\n")}`);
  return row;
}

/** YAML 1.2, and `<<`, which it does not have. */
const withMerge = CORE_SCHEMA.withTags(mergeTag);

/** The last file, as its YAML was parsed. */
let lastFile: { readonly yaml: string; readonly content: unknown } | undefined;
/** The last valid file, with the changes on top of it. */
let last: { readonly yaml: string; readonly changes: string; readonly row: Row } | undefined;

/**
 * Parses a file once, as it takes about 20 ms in one turn of the event loop: services read it every
 * minute, and billing for every review of prices.
 */
function rowOf(yaml: string, overlay: CatalogOverlay): Row {
  const changes = JSON.stringify([overlay.providers, overlay.models]);
  if (last?.yaml !== yaml || last.changes !== changes) last = { yaml, changes, row: checked(yaml, overlay) };
  return last.row;
}

/** @throws {CatalogError} */
function contentOf(yaml: string): unknown {
  if (lastFile?.yaml === yaml) return lastFile.content;
  try {
    lastFile = { yaml, content: load(yaml, { schema: withMerge }) };
    return lastFile.content;
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    throw new CatalogError(`The catalogue is not YAML: ${error.message}`, { cause: error });
  }
}

function checked(yaml: string, overlay: CatalogOverlay): Row {
  const content = withOverlay(contentOf(yaml), overlay);
  const result = catalogSchema.safeParse(content);
  if (result.success) return result.data;
  const lines = result.error.issues
    .map(unionFault)
    .map((issue) => `  ${pathText(issue.path, content)}: ${issue.message}`);
  throw new CatalogError(`The catalogue is not valid:\n${lines.join("\n")}`);
}

/** `models.7.price` -> `models[gpt-5].price`: people search by name. */
function pathText(path: PropertyKey[], content: unknown): string {
  const [first, index, ...rest] = path;
  if (first !== "models" || typeof index !== "number") return path.join(".");
  const models = (content as { models?: { id?: unknown }[] } | undefined)?.models;
  return [`models[${String(models?.[index]?.id ?? index)}]`, ...rest].join(".");
}

/** Operations that generate text. */
const generating: ReadonlySet<string> = new Set(["chat.completions", "messages", "responses"]);

function crossFaults(row: Row, bounded: UnitsByOperation): string[] {
  const faults = [...Object.entries(row.providers).flatMap(credentialFaults), ...responsesApiFaults(row)];
  const seen = new Set<string>();
  for (const { id } of row.models) {
    if (seen.has(id)) faults.push(`  models[${id}]: duplicate id`);
    seen.add(id);
  }
  const named = new Set(seen);
  for (const model of row.models) {
    for (const alias of model.aliases) {
      if (named.has(alias)) faults.push(`  models[${model.id}].aliases: another model has the name ${alias}`);
      named.add(alias);
    }
    for (const upstream of model.upstreams) {
      if (!Object.hasOwn(row.providers, upstream.provider))
        faults.push(`  models[${model.id}].upstreams: unknown provider ${upstream.provider}`);
      for (const unit of unpricedCosts(upstream.cost, model.price))
        faults.push(`  models[${model.id}].upstreams: cost has ${unit}, for which the model has no price`);
    }
    const generates = model.operations.some((operation) => generating.has(operation));
    faults.push(...capabilityFaults(model), ...priceFaults(model, bounded));
    faults.push(...fallbackFaults(model, { known: seen, generates }));
    for (const field of generates ? (["context_tokens", "max_output_tokens"] as const) : [])
      if (model[field] === undefined)
        faults.push(`  models[${model.id}].${field}: a model that generates text requires it`);
  }
  return [...faults, ...reviewFaults(row, seen), ...versionFaults(row, (model) => priceFaults(model, bounded))];
}

function credentialFaults([name, { api_key, credentials }]: [string, Row["providers"][string]]): string[] {
  if ((api_key === undefined) === (credentials === undefined))
    return [`  providers.${name}.api_key: set either api_key or credentials`];
  const names = (credentials ?? []).map((credential) => credential.name);
  const repeated = names.find((each, index) => names.indexOf(each) < index);
  return repeated === undefined ? [] : [`  providers.${name}.credentials: duplicate name ${repeated}`];
}

function reviewFaults({ price_reviews: reviews = [] }: Row, known: ReadonlySet<string>): string[] {
  return reviews.flatMap(({ models }, index) =>
    models.filter((id) => !known.has(id)).map((id) => `  price_reviews.${index}: unknown model ${id}`),
  );
}

/** Checks what a model for embeddings or speech must declare. */
function capabilityFaults(model: z.infer<typeof modelSchema>): string[] {
  const faults: string[] = [];
  if (model.operations.includes("embeddings")) {
    if (model.embedding === undefined || model.context_tokens === undefined)
      faults.push(`  models[${model.id}]: an embeddings model requires embedding and context_tokens`);
    if (model.upstreams.some(({ batch }) => batch === undefined))
      faults.push(`  models[${model.id}].upstreams: an upstream of an embeddings model requires batch`);
  }
  if (model.operations.includes("audio.speech") && model.speech === undefined)
    faults.push(`  models[${model.id}]: a text-to-speech model requires speech`);
  if (model.operations.some((name) => name === "audio.transcriptions" || name === "audio.translations"))
    faults.push(...transcriptionFaults(model));
  return faults;
}

/** Tokens are held for by the length of the audio, and by the longest output. */
function transcriptionFaults({ id, transcription, max_output_tokens: output, price }: z.infer<typeof modelSchema>) {
  if (transcription === undefined) return [`  models[${id}]: a transcription model requires transcription`];
  if (price.audio_seconds !== undefined) return [];
  return transcription.audio_tokens_per_second === undefined || output === undefined
    ? [
        `  models[${id}]: a transcription model that is billed by tokens requires transcription.audio_tokens_per_second and max_output_tokens`,
      ]
    : [];
}

/**
 * Checks, in every tier, that every priced unit is bounded and every served operation is priced.
 */
function priceFaults({ id, operations, price }: z.infer<typeof modelSchema>, bounded: UnitsByOperation): string[] {
  const { tiers = [], ...base } = price;
  const priced = Object.keys(base) as UnitName[];
  const unbounded = unboundedUnits(operations, priced, bounded).map(
    (unit) => `no sizing bounds ${unit}, so no hold can be computed`,
  );
  const lacking = tiers.flatMap((tier) =>
    priced
      .filter((unit) => tier[unit] === undefined)
      .map((unit) => `the tier above ${tier.above_input_tokens} input tokens has no price of ${unit}`),
  );
  const faults = [...unbounded, ...missingUnits(operations, priced), ...lacking];
  return faults.map((fault) => `  models[${id}].price: ${fault}`);
}

function upstreamsOf(
  model: z.infer<typeof modelSchema>,
  providers: ReadonlyMap<string, Provider>,
  price: ModelPrice,
): Upstream[] {
  return model.upstreams
    .flatMap((row) => {
      const provider = providers.get(row.provider);
      if (provider === undefined || !provider.enabled) return [];
      const { weight, priority, batch, vectors_cut_here: vectorsCutHere } = row;
      const { responses_api: responsesApi = provider.responsesApi } = row;
      const cost = upstreamCost(row.cost, price);
      const limits = { batch, vectorsCutHere, responsesApi: responsesApi === true };
      return [pooled({ provider, model: row.model ?? model.id, weight, priority, cost, ...limits })];
    })
    .sort((a, b) => a.priority - b.priority);
}

function reasoningOf(row: NonNullable<z.infer<typeof modelSchema>["reasoning"]>): Reasoning {
  const { default_effort: defaultEffort, sampling, ...same } = row;
  return { ...same, defaultEffort, switch: row.switch, sampling: sampling === "all" ? sampling : new Set(sampling) };
}

function modelOf(row: z.infer<typeof modelSchema>): Omit<Model, "upstreams" | "prices" | "price"> {
  return {
    id: row.id,
    aliases: row.aliases,
    ownedBy: row.owned_by,
    displayName: row.display_name ?? row.id,
    created: typeof row.created === "number" ? row.created : Date.parse(row.created) / 1000,
    operations: new Set(row.operations),
    reasoning: row.reasoning && reasoningOf(row.reasoning),
    contextTokens: row.context_tokens ?? 0,
    maxOutputTokens: row.max_output_tokens ?? 0,
    imageTokens: row.image_tokens,
    originalImageTokens: row.original_image_tokens ?? row.image_tokens,
    defaultImageDetail: row.default_image_detail,
    tokenizerMargin: row.tokenizer_margin,
    search: { maxUses: row.search.max_uses, resultTokens: row.search.result_tokens },
    input: new Set(row.input),
    output: new Set(row.output),
    outputCapField: row.output_cap_field,
    image: row.image && imageLimits(row.image),
    streamOnly: row.stream_only,
    embedding: row.embedding && {
      dimensions: row.embedding.dimensions,
      sizes: row.embedding.sizes,
      tokenInput: row.embedding.token_input,
    },
    speech: row.speech && speechTraits(row.speech),
    transcription: row.transcription && transcriptionTraits(row.transcription),
    strategy: row.strategy,
    fallbacks: row.fallbacks,
  };
}

function imageLimits(row: z.infer<typeof imageSchema>): ImageLimits {
  return {
    family: row.family,
    sizes: row.sizes,
    editSizes: row.edit_sizes,
    upstreamSizes: new Map(Object.entries(row.upstream_sizes)),
    defaultSize: row.default_size,
    maxImages: row.most_images,
    references: row.references,
    mask: row.mask,
    outputTokens: row.output_tokens,
  };
}

function speechTraits(row: z.infer<typeof speechSchema>): SpeechTraits {
  return {
    formats: row.formats,
    fixedFormat: row.fixed_format,
    instructions: row.instructions,
    segmentCharacters: row.segment_characters,
    ideographWeight: row.ideograph_weight,
    voices: row.voices,
  };
}

function transcriptionTraits(row: z.infer<typeof transcriptionSchema>): TranscriptionTraits {
  return {
    formats: row.formats,
    streams: row.streams,
    logprobs: row.logprobs,
    prompt: row.prompt,
    maxSeconds: row.max_seconds,
    audioTokensPerSecond: row.audio_tokens_per_second,
  };
}
