import type { Call, Reply } from "../http/types.ts";
import type { LogEntry } from "../log/entry.ts";
import { dayOf, isMissing, listIn, pageOf, reported } from "../reports/buckets.ts";
import { costsOf, decimalOf } from "../reports/cost.ts";
import { type Charged, type CountName, type Counts, chargedOutput, none, numberAt, sumOf } from "../reports/counts.ts";
import { findOpenAiModel } from "./models.ts";
import { openAiPrices, openAiSearchPrice } from "./prices.ts";
import { rejectOpenAi } from "./protocol.ts";

/** An endpoint of usage: which operations it counts, and its fields of a result. */
interface Endpoint {
  readonly operations: readonly string[];
  readonly object: string;
  readonly fields: (counts: Counts) => Record<string, number>;
}

/**
 * Input includes cached and cache-write tokens; the fields by modality are of uncached input
 * (https://platform.openai.com/docs/api-reference/usage/completions_object).
 */
function completionFields(counts: Counts): Record<string, number> {
  const { input, cached, write, audioInput, output, audioOutput } = counts;
  return {
    input_tokens: input + cached + write + audioInput,
    output_tokens: output + audioOutput,
    input_cached_tokens: cached,
    input_cache_write_tokens: write,
    input_uncached_tokens: input + audioInput,
    input_text_tokens: input,
    input_audio_tokens: audioInput,
    output_text_tokens: output,
    output_audio_tokens: audioOutput,
  };
}

const endpoints: Readonly<Record<string, Endpoint>> = {
  completions: { operations: ["chat.completions", "responses"], object: "completions", fields: completionFields },
  embeddings: { operations: ["embeddings"], object: "embeddings", fields: ({ input }) => ({ input_tokens: input }) },
  images: {
    operations: ["images.generations", "images.edits"],
    object: "images",
    fields: ({ image }) => ({ images: image }),
  },
  audio_speeches: {
    operations: ["audio.speech"],
    object: "audio_speeches",
    fields: ({ character }) => ({ characters: character }),
  },
};

function countsOf(entry: LogEntry): Counts {
  const { true_usage: usage, units, operation } = entry;
  if (operation === "audio.speech") return { ...none, character: numberAt(units, "characters") };
  if (operation.startsWith("images.")) {
    const image = numberAt(units, "images");
    const imageInput = numberAt(usage, "input_tokens_details", "image_tokens");
    const input = numberAt(usage, "input_tokens") - imageInput;
    return { ...none, image, input, imageInput, imageOutput: numberAt(usage, "output_tokens") };
  }
  if (operation === "responses") return responsesCounts(entry);
  const prompt = numberAt(usage, "prompt_tokens");
  const cached = numberAt(usage, "prompt_tokens_details", "cached_tokens");
  const write = numberAt(usage, "prompt_tokens_details", "cache_write_tokens");
  const audioInput = Math.min(numberAt(usage, "prompt_tokens_details", "audio_tokens"), prompt - cached - write);
  const audio = numberAt(usage, "completion_tokens_details", "audio_tokens");
  const output = chargedOutput(entry, numberAt(usage, "completion_tokens"));
  const audioOutput = Math.min(audio, output);
  const input = prompt - cached - write - audioInput;
  return { ...none, input, cached, write, audioInput, output: output - audioOutput, audioOutput };
}

function responsesCounts(entry: LogEntry): Counts {
  const { true_usage: usage, units } = entry;
  const cached = numberAt(usage, "input_tokens_details", "cached_tokens");
  const input = numberAt(usage, "input_tokens") - cached;
  const output = chargedOutput(entry, numberAt(usage, "output_tokens"));
  return { ...none, input, cached, output, webSearch: numberAt(units, "web_searches") };
}

/** Reports name the dated snapshot that responded. */
const snapshotOf = (model: string): string => findOpenAiModel(model)?.respondsAs ?? model;

function chargedIn(call: Call, operations: readonly string[]): Charged[] {
  return reported(call.served(), call.faults, Date.now())
    .filter(({ provider, operation }) => provider === "openai" && operations.includes(operation))
    .map((entry) => ({
      day: dayOf(Date.parse(entry.at)),
      model: snapshotOf(entry.model ?? ""),
      entry,
      counts: countsOf(entry),
    }));
}

function seconds(query: URLSearchParams, name: string, otherwise: number): number {
  const text = query.get(name);
  const value = text === null ? otherwise : Number(text);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw rejectOpenAi({ status: 400, message: `Invalid value for '${name}'.`, param: name });
}

/** Buckets of a page, with each day's results from `resultsOf`. */
function pageReply(call: Call, maxDays: number, resultsOf: (day: string) => object[]): Reply {
  const { query, faults } = call;
  if (query.get("start_time") === null)
    throw rejectOpenAi({ status: 400, message: "Missing required parameter: 'start_time'.", param: "start_time" });
  if ((query.get("bucket_width") ?? "1d") !== "1d")
    throw rejectOpenAi({ status: 400, message: "The simulator supports only buckets of 1d.", param: "bucket_width" });
  const limit = seconds(query, "limit", 7);
  if (limit < 1 || limit > maxDays)
    throw rejectOpenAi({ status: 400, message: `'limit' must be between 1 and ${maxDays}.`, param: "limit" });
  const fromMs = seconds(query, "start_time", 0) * 1_000;
  const untilMs = seconds(query, "end_time", Math.ceil(Date.now() / 1_000)) * 1_000;
  const page = pageOf({ fromMs, untilMs, limit, page: query.get("page") });
  if (page === undefined) throw rejectOpenAi({ status: 400, message: "Invalid 'page'.", param: "page" });
  const days = page.days.filter((day) => !isMissing(dayOf(day), faults, Date.now()));
  const data = days.map((day) => ({
    object: "bucket",
    start_time: day / 1_000,
    end_time: day / 1_000 + 86_400,
    results: resultsOf(dayOf(day)),
  }));
  return {
    type: "json",
    status: 200,
    body: { object: "page", data, has_more: page.next !== null, next_page: page.next },
  };
}

/** `GET /v1/organization/usage/{endpoint}` */
export function organizationUsage(call: Call): Reply {
  const name = call.params["endpoint"] ?? "";
  const endpoint = endpoints[name];
  const byModel = listIn(call.query, "group_by").includes("model");
  const charged = endpoint === undefined ? [] : chargedIn(call, endpoint.operations);
  let drift = call.faults["report-drift"] ?? 0;
  return pageReply(call, 31, (day) => {
    const groups = Map.groupBy(
      charged.filter((each) => each.day === day),
      ({ model }) => (byModel ? model : null),
    );
    return [...groups].map(([model, attempts]) => {
      const fields = endpoint?.fields(sumOf(attempts.map(({ counts }) => counts))) ?? {};
      const [first = ""] = Object.keys(fields);
      if (drift !== 0) fields[first] = (fields[first] ?? 0) + drift;
      drift = 0;
      const unset = { project_id: null, user_id: null, api_key_id: null, batch: null };
      const object = `organization.usage.${endpoint?.object ?? name}.result`;
      return { object, ...fields, num_model_requests: attempts.length, ...unset, model };
    });
  });
}

const lineNames: Readonly<Record<CountName, string>> = {
  input: "input_tokens",
  cached: "cached_input_tokens",
  write: "cache_write_tokens",
  write1h: "cache_write_1h_tokens",
  audioInput: "audio_input_tokens",
  imageInput: "image_input_tokens",
  output: "output_tokens",
  audioOutput: "audio_output_tokens",
  imageOutput: "image_output_tokens",
  character: "characters",
  image: "images",
  webSearch: "web_searches",
};

const dallESizes: Readonly<Record<string, number>> = { "256x256": 16, "512x512": 18, "1024x1024": 20 };

/** An image of a model that is billed by tokens has no cost of its own. */
function costsIn({ model, entry, counts }: Charged): ReadonlyMap<CountName, number> {
  const rates = openAiPrices[model.replace(/-\d{4}-\d{2}-\d{2}$/, "")] ?? {};
  if (rates.image === undefined) return costsOf({ ...counts, image: 0 }, { ...rates, webSearch: openAiSearchPrice });
  const size = `${numberAt(entry.units, "width")}x${numberAt(entry.units, "height")}`;
  return costsOf({ ...none, image: counts.image }, { image: dallESizes[size] ?? rates.image });
}

/**
 * `GET /v1/organization/costs`: a line for each model and kind of tokens, such as
 * `gpt-4o-mini-2024-07-18, input_tokens`.
 */
export function organizationCosts(call: Call): Reply {
  const operations = Object.values(endpoints).flatMap((endpoint) => endpoint.operations);
  const charged = chargedIn(call, operations);
  const byLine = listIn(call.query, "group_by").includes("line_item");
  let drift = (call.faults["report-drift"] ?? 0) * 1_000;
  return pageReply(call, 180, (day) => {
    const lines = new Map<string, number>();
    for (const each of charged.filter((one) => one.day === day))
      for (const [name, pico] of costsIn(each)) {
        const line = byLine ? `${each.model}, ${lineNames[name]}` : "";
        lines.set(line, (lines.get(line) ?? 0) + pico);
      }
    return [...lines].map(([line, pico]) => {
      const value = Number(decimalOf(pico + drift, 12));
      drift = 0;
      const amount = { value, currency: "usd" };
      return { object: "organization.costs.result", amount, line_item: line || null, project_id: null };
    });
  });
}
