interface ProtocolRow {
  /**
   * Whether messages with role `developer` are supported, unless the provider's catalogue entry
   * says otherwise.
   */
  readonly developerRole: boolean;
  /** Whether the options of {@link openAiOptionNames} are supported, likewise. */
  readonly openAiOptions: boolean;
  /** Whether its providers may have OpenAI's Responses API; default: no. */
  readonly responsesApi?: true;
  /** The header of an API key where it is not a bearer token. */
  readonly keyHeader?: string;
}

/**
 * OpenAI's own options of its chat protocol that clients of other formats may set. Other vendors of
 * the protocol support some of them, ignore the others, or reject a request that has them.
 */
export const openAiOptionNames = [
  "logprobs",
  "moderation",
  "prompt_cache_key",
  "prompt_cache_options",
  "prompt_cache_retention",
  "safety_identifier",
  "strict",
  "verbosity",
] as const;

/** Name of an option of {@link openAiOptionNames}. */
export type OpenAiOptionName = (typeof openAiOptionNames)[number];

/**
 * The single list of wire protocols that a catalogue provider may use. Each has a folder in
 * `services/lib/providers`, whose registry does not compile while one is missing.
 */
export const protocols = {
  openai: { developerRole: true, openAiOptions: true, responsesApi: true },
  azure: { developerRole: true, openAiOptions: true, keyHeader: "api-key" },
  dashscope: { developerRole: false, openAiOptions: false },
  xai: { developerRole: true, openAiOptions: false, responsesApi: true },
  anthropic: { developerRole: true, openAiOptions: false },
  gemini: { developerRole: true, openAiOptions: false },
  vertex: { developerRole: true, openAiOptions: false },
  bedrock: { developerRole: true, openAiOptions: false },
  ark: { developerRole: true, openAiOptions: false },
  voyage: { developerRole: true, openAiOptions: false },
} as const satisfies Record<string, ProtocolRow>;

/** The header of an API key of a protocol; undefined: it is a bearer token. */
export const keyHeaderOf = (protocol: keyof typeof protocols): string | undefined =>
  (protocols[protocol] as ProtocolRow).keyHeader;

/** Whether providers of a protocol may have OpenAI's Responses API. */
export const hasResponsesApi = (protocol: keyof typeof protocols): boolean =>
  (protocols[protocol] as ProtocolRow).responsesApi === true;

/** Every protocol's name, in the table's order. */
export const protocolNames = Object.keys(protocols) as (keyof typeof protocols)[];
