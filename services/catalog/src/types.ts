import type { z } from "zod";
import type { ModelPrice } from "./price.ts";
import type { protocols } from "./protocols.ts";
import type { imageSchema, modelSchema } from "./schema.ts";

/** Name of a wire protocol. */
export type Protocol = keyof typeof protocols;

/**
 * What a provider does with a streamed generation whose connection is closed: it stops and bills
 * what it has made, or goes on and bills all of it.
 */
export type OnAbort = "stops" | "continues";
/** What a model may be given. */
export type InputModality = z.infer<typeof modelSchema>["input"][number];
/** What a model may produce. */
export type OutputModality = z.infer<typeof modelSchema>["output"][number];
/** The name under which an upstream takes the output cap. */
export type OutputCapField = NonNullable<z.infer<typeof modelSchema>["output_cap_field"]>;

/** Whose rules a request for images follows. */
export type ImageFamily = z.infer<typeof imageSchema>["family"];

/** What a model that makes images takes. */
export interface ImageLimits {
  readonly family: ImageFamily;
  /** Empty: any that the family's rule allows. */
  readonly sizes: readonly string[];
  readonly editSizes: readonly string[];
  /** What is sent for a size; empty text: nothing. */
  readonly upstreamSizes: ReadonlyMap<string, string>;
  readonly defaultSize: string | undefined;
  readonly maxImages: number;
  /** Input images. */
  readonly references: { readonly min: number; readonly max: number };
  readonly mask: boolean;
  /** Of an image of 1024 x 1024, by quality; undefined for a model that is not billed by tokens. */
  readonly outputTokens: { readonly low: number; readonly medium: number; readonly high: number } | undefined;
}

/** Milliseconds. */
export interface Timeouts {
  readonly connectMs: number;
  /** From the request's last byte to the answer's first. */
  readonly firstByteMs: number;
  readonly betweenChunksMs: number;
  readonly totalMs: number;
}

/** How connections to a provider are made. */
export interface Transport {
  /** The same for all that is the same. */
  readonly id: string;
  /** A proxy's URL, `none`, or undefined: as the environment says. */
  readonly proxy: string | undefined;
  /** PEM files; undefined: who is usually trusted, and no certificate of ours. */
  readonly caFile: string | undefined;
  readonly certFile: string | undefined;
  readonly keyFile: string | undefined;
  /** Calls under way at a time in one process, and how many may wait beyond them. */
  readonly maxConnections: number;
  readonly maxQueued: number;
}

/** A provider whose references to the environment are resolved. */
export interface Provider {
  readonly name: string;
  readonly protocol: Protocol;
  readonly origin: string;
  /** Path of the base URL, without a trailing slash. */
  readonly basePath: string;
  readonly apiKey: string;
  /** Extra headers, name and value by turns, names in lower case. */
  readonly headers: readonly string[];
  readonly timeouts: Timeouts;
  readonly transport: Transport;
  /** Knows messages of role developer. */
  readonly developerRole: boolean;
  /** What it does with a stream whose connection is closed; undefined: as the protocol's owner. */
  readonly onAbort: OnAbort | undefined;
}

/** Most that one upstream call may carry. */
export interface BatchLimits {
  readonly items: number;
  readonly tokens: number;
}

/** One place that serves a model. */
export interface Upstream {
  readonly provider: Provider;
  /** The provider's name of the model. */
  readonly model: string;
  readonly weight: number;
  readonly priority: number;
  /** Of a model that embeds. */
  readonly batch?: BatchLimits | undefined;
  /** It knows one size of vectors only: shorter ones are cut by us. */
  readonly vectorsCutHere?: boolean;
}

/** What a model that embeds takes and gives. */
export interface EmbeddingTraits {
  /** Size of a vector when none is asked for. */
  readonly dimensions: number;
  /** Sizes that may be asked for; `any` up to `dimensions`; undefined: no other. */
  readonly sizes: readonly number[] | "any" | undefined;
  /** Takes arrays of token ids beside text. */
  readonly tokenInput: boolean;
}

/** An audio format of speech. */
export type SpeechFormat = "mp3" | "wav";

/** What a model that speaks takes and gives. */
export interface SpeechTraits {
  /** What may be asked for, the default first. */
  readonly formats: readonly SpeechFormat[];
  /** What is asked for has no effect: the answer is the first format. */
  readonly fixedFormat: boolean;
  readonly instructions: boolean;
  /** Most characters of one upstream call, weighted. */
  readonly segmentCharacters: number;
  /** Characters that one CJK ideograph counts as. */
  readonly ideographWeight: number;
  /** Known voices, the default first. */
  readonly voices: readonly string[];
}

/** A model with its price and the upstreams that can serve it now. */
export interface Model {
  readonly id: string;
  readonly ownedBy: string;
  readonly displayName: string;
  /** Unix seconds. */
  readonly created: number;
  readonly operations: ReadonlySet<string>;
  /** Undefined for a model that does not reason. */
  readonly reasoning: { readonly efforts: readonly string[] } | undefined;
  /** 0 where it means nothing (a model that does not generate text). */
  readonly contextTokens: number;
  readonly maxOutputTokens: number;
  /** Most tokens that one input image counts. */
  readonly imageTokens: number;
  /** Web searches that the provider runs within a request. */
  readonly search: {
    /** Cap where the client sets none. */
    readonly maxUses: number;
    /** Most input tokens that one search's results bring. */
    readonly resultTokens: number;
  };
  readonly input: ReadonlySet<InputModality>;
  readonly output: ReadonlySet<OutputModality>;
  readonly outputCapField: OutputCapField | undefined;
  /** Undefined for a model that makes no images on request. */
  readonly image: ImageLimits | undefined;
  readonly streamOnly: boolean;
  /** Of a model that embeds. */
  readonly embedding?: EmbeddingTraits | undefined;
  /** Of a model that speaks text. */
  readonly speech?: SpeechTraits | undefined;
  readonly price: ModelPrice;
  readonly upstreams: readonly Upstream[];
}

/** All providers and models, as one version of the file has them. */
export interface Catalog {
  /** Short hash of the file and of what the environment gave it. */
  readonly version: string;
  /** Models that can be served, in the file's order. */
  readonly models: ReadonlyMap<string, Model>;
  readonly providers: ReadonlyMap<string, Provider>;
  /** Why providers of the file are not served: one line each, for the log. */
  readonly unserved: readonly string[];
}
