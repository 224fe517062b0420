import type { OnAbort, Upstream } from "@uag/catalog/types";
import type { CountFormat, GenerationAdapter, GenerationCall, PromptCounter } from "./generation.ts";
import type { GenerationFormat } from "./translate/client.ts";
import type { UpstreamProtocol } from "./translate/protocol.ts";

/** A part of a response that an output cap may not cover. */
export type UncappedOutput = "thinking" | "speech";

/**
 * The optional capabilities of a protocol, in addition to text generation. Each capability's `types.ts` declares
 * its own kind of adapter here, so that a new one changes nothing in this file.
 */
export interface Adapters {
  /** By client format; absent if prompts cannot be counted without generating. */
  readonly promptCounters?: Readonly<Partial<Record<CountFormat, PromptCounter>>>;
}

/** A kind of adapter. */
export type AdapterKind = keyof Adapters;

/** How a protocol generates text. */
export interface TextGeneration {
  /** The client format that the protocol shares. */
  readonly format: GenerationFormat;
  /** Passes requests and responses of that format through. */
  readonly adapter: GenerationAdapter;
  /** Requests of every other client format are translated to it. */
  readonly protocol: UpstreamProtocol;
  /** Passes the Responses format through, for upstreams with `responsesApi`. */
  readonly responses?: GenerationAdapter;
}

/** Text generation by a protocol that is no client's format. */
export type TranslatedGeneration = Pick<TextGeneration, "protocol">;

/** The capabilities and properties of a provider's protocol: the export of its folder. */
export interface UpstreamProvider extends Adapters {
  /** By its model where a cloud serves several protocols; absent if it generates no text. */
  readonly generation?: TextGeneration | ((model: string) => TextGeneration | TranslatedGeneration);
  /**
   * What it does with a stream whose connection is closed. If absent, it is assumed to continue.
   */
  readonly onAbort?: OnAbort;
  /** Its streams begin with the usage of the prompt, cached tokens included. */
  readonly reportsPromptFirst?: true;
  /** Shortest prompt that it reads from a cache, tokens; default: any. */
  readonly cachesFromTokens?: number;
  /** Output that its models produce, and bill, beyond the client's output cap. */
  readonly uncapped?: readonly UncappedOutput[];
  /**
   * Whether a request makes the model think invisibly, in addition to what the catalogue says about
   * the model.
   */
  thinksUnseen?(fields: GenerationCall["fields"], upstream: Upstream): boolean;
}
