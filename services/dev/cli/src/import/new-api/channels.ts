import { z } from "zod";
import type { Deployment } from "../models.ts";
import type { CredentialShare, Plan } from "../plan.ts";
import type { Place } from "../providers.ts";
import { priceOf, type Settings } from "./settings.ts";
import { enabled, listOf, type RowOf } from "./tables.ts";

type Channel = RowOf<"channels">;

/** The protocol of a channel's type. */
interface Kind {
  /** The provider or template here. */
  readonly kind: string;
  /** What new-api adds to a channel's base URL, and its base URL here has. */
  readonly suffix: string;
  /** Where new-api calls it by default, if this gateway calls another host. */
  readonly usual?: string;
}

/** The types of channels that have an equal here: `constant/channel.go`. */
const kinds: Readonly<Record<number, Kind>> = {
  1: { kind: "openai", suffix: "/v1" },
  3: { kind: "azure", suffix: "/openai/v1" },
  4: { kind: "ollama", suffix: "/v1", usual: "http://localhost:11434" },
  8: { kind: "openai", suffix: "" },
  14: { kind: "anthropic", suffix: "" },
  17: { kind: "dashscope", suffix: "", usual: "https://dashscope.aliyuncs.com" },
  20: { kind: "openrouter", suffix: "/v1" },
  24: { kind: "gemini", suffix: "" },
  25: { kind: "moonshot", suffix: "/v1", usual: "https://api.moonshot.cn" },
  40: { kind: "openai", suffix: "/v1", usual: "https://api.siliconflow.cn" },
  42: { kind: "mistral", suffix: "/v1" },
  43: { kind: "deepseek", suffix: "/v1" },
  45: { kind: "ark", suffix: "/api/v3", usual: "https://ark.cn-beijing.volces.com" },
  48: { kind: "xai", suffix: "/v1" },
};

/** The type whose base URL is the whole address of the endpoint. */
const wholeAddress = 8;
const endpoint = "/chat/completions";

/** Where a channel is called; its base URL as this gateway writes it. */
function baseUrlOf({ type, base_url: given }: Channel, kind: Kind | undefined): string | undefined {
  const url = (given || kind?.usual)?.replace(/(?<!\/)\/+$/, "");
  if (url === undefined || kind === undefined) return url;
  if (type === wholeAddress) return url.endsWith(endpoint) ? url.slice(0, -endpoint.length) : url;
  return `${url}${kind.suffix}`;
}

const multiKey = z
  .object({ is_multi_key: z.boolean(), multi_key_status_list: z.record(z.string(), z.number()).nullish() })
  .partial();

/** The keys of a channel that work; since 0.8.5 it may have several, one a line. */
function keysOf({ key, channel_info: info }: Channel): string[] {
  const { is_multi_key: isMulti, multi_key_status_list: states } = multiKey.catch({}).parse(info ?? {});
  if (isMulti !== true) return [key.trim()].filter((each) => each !== "");
  const keys = key.trim().split("\n");
  return keys.filter((each, i) => each !== "" && (states?.[i] ?? enabled) === enabled);
}

/** The provider's name of a model; a mapping may lead to another. */
function upstreamOf(model: string, mapping: Readonly<Record<string, unknown>>): string {
  const seen = new Set([model]);
  for (let name = model; ; ) {
    const next = mapping[name];
    if (typeof next !== "string" || next === "" || seen.has(next)) return name;
    seen.add(next);
    name = next;
  }
}

/** Priorities as numbers of which the lowest is used first; new-api uses the highest first. */
function ranksOf(channels: readonly Channel[]): Map<number, number> {
  const distinct = new Set(channels.map(({ priority }) => priority ?? 0));
  return new Map([...distinct].sort((a, b) => b - a).map((priority, rank) => [priority, rank]));
}

/** Azure's. Up to this day a channel's deployments have the model's name without dots: `AzureNoRemoveDotTime`. */
const azureType = 3;
const dotsKeptFrom = Date.UTC(2025, 4, 10) / 1_000;

/** The name of a model's deployment. */
function deployed({ type, created_time: createdAt }: Channel, model: string): string {
  return type === azureType && (createdAt ?? 0) < dotsKeptFrom ? model.replaceAll(".", "") : model;
}

interface Planned {
  readonly channel: Channel;
  readonly rank: number;
}

function placesOf({ channel, rank }: Planned): Place[] {
  const kind = kinds[channel.type];
  const share: CredentialShare = {
    name: channel.name,
    ...(channel.weight && { weight: channel.weight }),
    ...(rank > 0 && { priority: rank }),
  };
  const secrets = keysOf(channel);
  const shared = { kind: kind?.kind, baseUrl: baseUrlOf(channel, kind), share };
  return secrets.length === 0 ? [{ ...shared, secret: undefined }] : secrets.map((secret) => ({ ...shared, secret }));
}

function deploymentsOf(planned: Planned, settings: Settings): Deployment[] {
  const { channel, rank } = planned;
  const places = placesOf(planned);
  return listOf(channel.models).flatMap((name) => {
    const base = upstreamOf(name, channel.model_mapping);
    return places.map((place) => ({
      name,
      upstream: deployed(channel, base),
      base,
      shown: `channel ${channel.name}`,
      place,
      weight: channel.weight ?? undefined,
      priority: rank,
      price: priceOf(name, settings),
      contextTokens: undefined,
      maxOutputTokens: undefined,
    }));
  });
}

/** The channels that work, as deployments, the preferred ones first; notes the others. */
export function readChannels(
  channels: readonly Channel[],
  settings: Settings,
  { notes }: Pick<Plan, "notes">,
): Deployment[] {
  for (const { name, status } of channels)
    if (status !== enabled) notes.push({ what: `channel ${name}`, why: "It is disabled." });
  const used = channels.filter(({ status }) => status === enabled);
  const ranks = ranksOf(used);
  return used
    .map((channel): Planned => ({ channel, rank: ranks.get(channel.priority ?? 0) ?? 0 }))
    .sort((a, b) => a.rank - b.rank)
    .flatMap((planned) => deploymentsOf(planned, settings));
}

/** The models that each group may use: those of the channels that it may use. */
export function modelsOfGroups(channels: readonly Channel[]): Map<string, Set<string>> {
  const groups = new Map<string, Set<string>>();
  for (const { group, models, status } of channels) {
    if (status !== enabled) continue;
    for (const name of listOf(group)) groups.set(name, new Set([...(groups.get(name) ?? []), ...listOf(models)]));
  }
  return groups;
}
