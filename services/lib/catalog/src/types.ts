import type { z } from "zod";
import type { Secret } from "./identity.ts";
import type { ModelPrice } from "./price.ts";
import type { OpenAiOptionName, protocols } from "./protocols.ts";
import type { imageSchema, modelSchema, priceReviewSchema, priceVersionSchema, transcriptionSchema } from "./schema.ts";
import type { UpstreamCost } from "./upstream-cost.ts";

/** Name of a wire protocol. */
export type Protocol = keyof typeof protocols;

/**
 * What a provider does with a streamed generation whose connection is closed: stop and bill what it
 * has produced, or continue and bill all of it.
 */
export type OnAbort = "stops" | "continues";
/** How a request's upstream is chosen among those of its model. */
export type RoutingStrategy = z.infer<typeof modelSchema>["strategy"];
/** An input type of a model. */
export type InputModality = z.infer<typeof modelSchema>["input"][number];
/** An output type of a model. */
type OutputModality = z.infer<typeof modelSchema>["output"][number];
/** The field in which an upstream expects the output cap. */
type OutputCapField = NonNullable<z.infer<typeof modelSchema>["output_cap_field"]>;

/** The family whose rules apply to an image request. */
export type ImageFamily = z.infer<typeof imageSchema>["family"];

/** Limits of a model that makes images. */
export interface ImageLimits {
  readonly family: ImageFamily;
  /** Empty: any size that the family's rule allows. */
  readonly sizes: readonly string[];
  readonly editSizes: readonly string[];
  /** The value sent for a size; empty: nothing is sent. */
  readonly upstreamSizes: ReadonlyMap<string, string>;
  readonly defaultSize: string | undefined;
  readonly maxImages: number;
  /** Input images. */
  readonly references: { readonly min: number; readonly max: number };
  readonly mask: boolean;
  /**
   * Tokens of a 1024 x 1024 image, by quality; undefined for a model that is not billed by tokens.
   */
  readonly outputTokens: { readonly low: number; readonly medium: number; readonly high: number } | undefined;
}

/** Bounds of a provider call, milliseconds. */
export interface Timeouts {
  readonly connectMs: number;
  /** From the request's last byte to the response's first. */
  readonly firstByteMs: number;
  readonly betweenChunksMs: number;
  readonly totalMs: number;
}

/** How to connect to a provider. */
export interface Transport {
  /** Equal for equal transports. */
  readonly id: string;
  /** A proxy's URL, `none`, or undefined: as configured by the environment. */
  readonly proxy: string | undefined;
  /** PEM files; undefined: the default CAs, and no client certificate. */
  readonly caFile: string | undefined;
  readonly certFile: string | undefined;
  readonly keyFile: string | undefined;
  /** Concurrent calls in one process, and how many more may queue. */
  readonly maxConnections: number;
  readonly maxQueued: number;
  /** Only public addresses may be connected to: the address was set over the admin API. */
  readonly guarded: boolean;
}

/** When an upstream's circuit breaker opens and closes: see the schema. Milliseconds. */
export interface CircuitSettings {
  readonly failureShare: number;
  readonly minCalls: number;
  readonly windowMs: number;
  readonly openMs: number;
  readonly maxOpenMs: number;
  readonly probes: number;
}

/** Between which an upstream's limit of concurrent calls is adapted. */
export interface ConcurrencyBounds {
  readonly min: number;
  readonly max: number;
}

/** The most that a credential may spend, nano-USD. */
export interface SpendCaps {
  /** In a day (UTC); undefined: no cap. */
  readonly daily: bigint | undefined;
  /** In a month (UTC); undefined: no cap. */
  readonly monthly: bigint | undefined;
}

/** One of a provider's credentials, without its secret. */
export interface Credential {
  /** Empty for the file's only key. */
  readonly id: string;
  /** As people tell it apart: its name, else such as `sk-...abcd`; empty when called without a key. */
  readonly name: string;
  readonly weight: number;
  readonly priority: number;
  /** Equal for credentials of one account at the provider, which share its limits. */
  readonly account: string;
  /** Absent without a cap. */
  readonly caps?: SpendCaps | undefined;
  /** Hash of the provider's name and the id, 32 bits, by which every process chooses alike. */
  readonly seed: number;
}

/** Where a provider is reached with one of its credentials. */
export interface ProviderAccess extends Secret {
  readonly credential: Credential;
  /** The simulator replaces the provider. */
  readonly simulated: boolean;
  readonly origin: string;
  /** Path of the base URL, without a trailing slash. */
  readonly basePath: string;
}

/** A provider with resolved environment references, as new requests reach it. */
export interface Provider extends ProviderAccess {
  readonly name: string;
  readonly protocol: Protocol;
  /** Hash of the name, 32 bits, by which every process chooses alike. */
  readonly seed: number;
  /** A disabled provider gets no new requests; tasks under way are still polled. */
  readonly enabled: boolean;
  /** By credential, for tasks that were created with an earlier one. */
  readonly accesses: ReadonlyMap<string, ProviderAccess>;
  /** The credentials that new requests may use, the preferred one first. */
  readonly inUse: readonly Credential[];
  /** Whether one of those has a spend cap; absent where a test makes a provider. */
  readonly isCapped?: boolean;
  /** Additional headers, alternating name and value, names in lower case. */
  readonly headers: readonly string[];
  readonly timeouts: Timeouts;
  /** Absent where a test makes a provider: the defaults. */
  readonly circuit?: CircuitSettings;
  /** Absent: its concurrent calls are not limited. */
  readonly adaptiveConcurrency?: ConcurrencyBounds | undefined;
  readonly transport: Transport;
  /** Whether it supports messages with role developer. */
  readonly developerRole: boolean;
  /** OpenAI's own options that it supports for clients of other formats. */
  readonly openAiOptions: ReadonlySet<OpenAiOptionName>;
  /** Fields that the gateway does not know, and that cannot raise a request's cost here. */
  readonly freeFields: ReadonlySet<string>;
  /** Whether it has OpenAI's Responses API; absent where a test makes a provider: no. */
  readonly responsesApi?: boolean;
  /** Fields of chat requests that it rejects, which are left out; absent where a test makes a provider: none. */
  readonly unsupportedFields?: ReadonlySet<string>;
  /** Azure's version of its API, by which calls name deployments in their path; absent: the v1 API. */
  readonly apiVersion?: string | undefined;
  /**
   * What it does with a stream whose connection is closed; undefined: what the protocol's owner
   * does.
   */
  readonly onAbort: OnAbort | undefined;
  /**
   * Shortest prompt that it reads from a cache, tokens; undefined: what the protocol's owner does.
   */
  readonly cachesFromTokens: number | undefined;
}

/** Limits of one upstream call. */
export interface BatchLimits {
  readonly items: number;
  readonly tokens: number;
}

/** One provider's offer of a model, as it is reached with one of the provider's credentials. */
export interface Upstream {
  readonly provider: Provider;
  /** The provider's name for the model. */
  readonly model: string;
  readonly weight: number;
  readonly priority: number;
  /** Absent where a test makes an upstream. */
  readonly cost?: UpstreamCost;
  /** Set for embeddings models. */
  readonly batch?: BatchLimits | undefined;
  /** The upstream supports only one vector size: shorter ones are truncated by us. */
  readonly vectorsCutHere?: boolean;
  /** The provider serves the model at its Responses API; absent: no. */
  readonly responsesApi?: boolean;
  /** This upstream with each credential that new requests may use; absent if there is only one. */
  readonly pool?: readonly Upstream[] | undefined;
  /** Whether the credentials of its pool have one weight; absent: no. */
  readonly isEven?: boolean;
}

/** Properties of an embeddings model. */
export interface EmbeddingTraits {
  /** Default vector size. */
  readonly dimensions: number;
  /** Sizes that may be requested; `any` up to `dimensions`; undefined: no other. */
  readonly sizes: readonly number[] | "any" | undefined;
  /** Accepts arrays of token ids in addition to text. */
  readonly tokenInput: boolean;
}

/** An audio format of speech. */
export type SpeechFormat = "mp3" | "wav";

/** Properties of a speech model. */
export interface SpeechTraits {
  /** Formats that may be requested, the default first. */
  readonly formats: readonly SpeechFormat[];
  /** The requested format has no effect: the response has the first format. */
  readonly fixedFormat: boolean;
  readonly instructions: boolean;
  /** Maximum characters of one upstream call, weighted. */
  readonly segmentCharacters: number;
  /** How many characters one CJK ideograph counts as. */
  readonly ideographWeight: number;
  /** Known voices, the default first. */
  readonly voices: readonly string[];
}

/**
 * A format in which upstreams return a transcript, all JSON (OpenAI's reference, create
 * transcription).
 */
export type TranscriptFormat = z.infer<typeof transcriptionSchema>["formats"][number];

/** Properties of a transcription model. */
export interface TranscriptionTraits {
  /** Formats that its upstreams support, the default first. */
  readonly formats: readonly TranscriptFormat[];
  readonly streams: boolean;
  readonly logprobs: boolean;
  readonly prompt: boolean;
  /** The longest audio that its upstreams accept; undefined: any that its file can have. */
  readonly maxSeconds: number | undefined;
  /** Tokens of one second of audio; undefined for a model that is billed by seconds. */
  readonly audioTokensPerSecond: number | undefined;
}

/** How a model reasons, and how a request sets that. */
export interface Reasoning {
  /** Values of `reasoning_effort`. */
  readonly efforts: readonly string[];
  /** The effort of a request that sets none; undefined: the provider's choice, which reasons. */
  readonly defaultEffort: string | undefined;
  /** The field that turns it on and off; undefined if there is none. */
  readonly switch: "thinking" | "enable_thinking" | undefined;
  /** Responses contain it, as text. */
  readonly shown: boolean;
  /** Sampling parameters that the model supports while it reasons. */
  readonly sampling: ReadonlySet<string> | "all";
}

/** A model with its price and the upstreams that can currently serve it. */
export interface Model {
  readonly id: string;
  /** Other names for it in requests; absent where a test makes a model. */
  readonly aliases?: readonly string[] | undefined;
  readonly ownedBy: string;
  readonly displayName: string;
  /** Unix seconds. */
  readonly created: number;
  readonly operations: ReadonlySet<string>;
  /** Undefined for a model without reasoning. */
  readonly reasoning: Reasoning | undefined;
  /** 0 where it does not apply (a model that does not generate text). */
  readonly contextTokens: number;
  readonly maxOutputTokens: number;
  /** Maximum tokens of one input image. */
  readonly imageTokens: number;
  /** Maximum tokens of one input image that is read at its original resolution. */
  readonly originalImageTokens: number;
  /** How an image is read whose request names no detail, or `auto`. */
  readonly defaultImageDetail: "high" | "original";
  /** Maximum tokens of a text, relative to the count of the gateway's own tokenizer. */
  readonly tokenizerMargin: number;
  /** Web searches that the provider runs within a request. */
  readonly search: {
    /** The cap where the client sets none. */
    readonly maxUses: number;
    /** Maximum input tokens of one search's results. */
    readonly resultTokens: number;
  };
  readonly input: ReadonlySet<InputModality>;
  readonly output: ReadonlySet<OutputModality>;
  readonly outputCapField: OutputCapField | undefined;
  /** Undefined for a model that does not make images on request. */
  readonly image: ImageLimits | undefined;
  readonly streamOnly: boolean;
  /** Set for embeddings models. */
  readonly embedding?: EmbeddingTraits | undefined;
  /** Set for speech models. */
  readonly speech?: SpeechTraits | undefined;
  /** Set for transcription models. */
  readonly transcription?: TranscriptionTraits | undefined;
  /** The price that was in force when the catalogue was read. */
  readonly price: ModelPrice;
  /** All its prices, the earliest first; absent where a test makes a model. */
  readonly prices?: readonly PriceVersion[];
  readonly upstreams: readonly Upstream[];
  /** How a request's upstream is chosen; absent where a test makes a model. */
  readonly strategy?: RoutingStrategy;
  /** Ids of models that respond in its place when it fails, best first; absent where a test makes a model. */
  readonly fallbacks?: readonly string[];
}

/** A price, and since when it is in force. */
export interface PriceVersion {
  /** Unix milliseconds; 0 for the price that a model was listed with. */
  readonly effectiveFromMs: number;
  readonly price: ModelPrice;
  /** Undefined for the price that a model was listed with. */
  readonly accepted: PriceVersionRow | undefined;
}

/** An accepted price change, as in the file. */
export type PriceVersionRow = z.infer<typeof priceVersionSchema>;

/** A reviewed difference to public tables of prices, as in the catalogue file. */
export type PriceReview = z.infer<typeof priceReviewSchema>;

/** All providers and models of one version of the file. */
export interface Catalog {
  /** Short hash of the file, its resolved environment values, and which prices are in force. */
  readonly version: string;
  /** Version of the changes on top of the file that it has. */
  readonly overlayVersion: number;
  /** Models that can be served, in file order. */
  readonly models: ReadonlyMap<string, Model>;
  /** Ids of models that can be served, by their other names. */
  readonly aliases: ReadonlyMap<string, string>;
  /** The prices of all models, those that cannot be served included: the listed one, then each that was accepted since. */
  readonly prices: ReadonlyMap<string, readonly PriceVersion[]>;
  readonly providers: ReadonlyMap<string, Provider>;
  /** Why providers of the file are not served: one line each, for the log. */
  readonly unserved: readonly string[];
  /** Accepted price changes, in file order. */
  readonly priceVersions: readonly PriceVersionRow[];
}
