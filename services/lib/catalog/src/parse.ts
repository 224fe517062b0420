import { createHash } from "node:crypto";
import { unionFault } from "@uag/untrusted/union-fault";
import { parse, YAMLParseError } from "yaml";
import type { z } from "zod";
import { CatalogError } from "./catalog-error.ts";
import { priceInForce, priceVersions, versionFaults, withAccepted } from "./price-versions.ts";
import { resolveProvider } from "./provider.ts";
import { catalogSchema, type imageSchema, type modelSchema, type speechSchema } from "./schema.ts";
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
  Upstream,
} from "./types.ts";
import type { UnitName } from "./units.ts";

type Row = z.infer<typeof catalogSchema>;

/**
 * Parses a catalogue. Omits providers with unset environment references, and models that then have
 * no upstream.
 * @param options.nowMs prices are those in force then, unix milliseconds; default: now
 * @param options.accepted prices that were accepted outside the file
 * @throws {CatalogError}
 */
export function parseCatalog(
  yaml: string,
  env: NodeJS.ProcessEnv,
  { nowMs = Date.now(), accepted = [] }: { nowMs?: number; accepted?: readonly PriceVersionRow[] } = {},
): Catalog {
  const row = readRows(yaml, boundedUnits, accepted);
  const providers = new Map<string, Provider>();
  const unserved: string[] = [];
  for (const [name, provider] of Object.entries(row.providers)) {
    const resolved = resolveProvider(name, provider, env);
    if (typeof resolved === "string") unserved.push(resolved);
    else providers.set(name, resolved);
  }
  const models = new Map<string, Model>();
  for (const model of row.models) {
    const upstreams = upstreamsOf(model, providers);
    if (upstreams.length > 0)
      models.set(model.id, modelOf(model, upstreams, priceVersions(model, row.price_versions), nowMs));
  }
  const hash = createHash("sha256").update(yaml);
  for (const provider of providers.values()) {
    hash.update(`\n${provider.name} ${provider.origin}${provider.basePath} ${provider.transport.id}`);
  }
  const rows = row.price_versions ?? [];
  hash.update(`\n${JSON.stringify(accepted)}`);
  hash.update(`\n${rows.filter(({ effective_from: from }) => Date.parse(from) <= nowMs).length}`);
  const version = hash.digest("hex").slice(0, 12);
  return { version, models, providers, unserved, priceVersions: rows };
}

/**
 * The validated catalogue as written, without resolving environment references.
 * @param bounded the units that each operation's sizing bounds: no other may have a price
 * @param accepted prices that were accepted outside the file: they follow those of the file
 * @throws {CatalogError}
 */
export function readRows(
  yaml: string,
  bounded: UnitsByOperation = boundedUnits,
  accepted: readonly PriceVersionRow[] = [],
): Row {
  const own = checked(yaml);
  const row = withAccepted(own, accepted);
  const faults = crossFaults(own, bounded);
  if (row !== own) faults.push(...versionFaults(row, (model) => priceFaults(model, bounded)));
  if (faults.length > 0) throw new CatalogError(`The catalogue is not valid:\n${faults.join("\n")}`);
  return row;
}

function checked(yaml: string): Row {
  let content: unknown;
  try {
    content = parse(yaml, { merge: true });
  } catch (error) {
    if (!(error instanceof YAMLParseError)) throw error;
    throw new CatalogError(`The catalogue is not YAML: ${error.message}`, { cause: error });
  }
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
  const faults: string[] = [];
  const seen = new Set<string>();
  for (const model of row.models) {
    if (seen.has(model.id)) faults.push(`  models[${model.id}]: duplicate id`);
    seen.add(model.id);
    for (const upstream of model.upstreams) {
      if (Object.hasOwn(row.providers, upstream.provider)) continue;
      faults.push(`  models[${model.id}].upstreams: unknown provider ${upstream.provider}`);
    }
    const generates = model.operations.some((operation) => generating.has(operation));
    faults.push(...capabilityFaults(model), ...priceFaults(model, bounded));
    if (generates && (model.context_tokens === undefined || model.max_output_tokens === undefined)) {
      faults.push(`  models[${model.id}]: a model that generates text requires context_tokens and max_output_tokens`);
    }
  }
  return [...faults, ...versionFaults(row, (model) => priceFaults(model, bounded))];
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
  return faults;
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

function upstreamsOf(model: z.infer<typeof modelSchema>, providers: ReadonlyMap<string, Provider>): Upstream[] {
  return model.upstreams
    .flatMap((row) => {
      const provider = providers.get(row.provider);
      if (provider === undefined) return [];
      const { weight, priority, batch, vectors_cut_here: vectorsCutHere } = row;
      return [{ provider, model: row.model ?? model.id, weight, priority, batch, vectorsCutHere }];
    })
    .sort((a, b) => a.priority - b.priority);
}

function reasoningOf(row: NonNullable<z.infer<typeof modelSchema>["reasoning"]>): Reasoning {
  const { default_effort: defaultEffort, sampling, ...same } = row;
  return { ...same, defaultEffort, switch: row.switch, sampling: sampling === "all" ? sampling : new Set(sampling) };
}

function modelOf(
  row: z.infer<typeof modelSchema>,
  upstreams: Upstream[],
  prices: readonly PriceVersion[],
  nowMs: number,
): Model {
  return {
    id: row.id,
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
    prices,
    price: priceInForce(prices, nowMs),
    upstreams,
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
