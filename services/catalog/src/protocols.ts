interface ProtocolRow {
  /**
   * Whether messages with role `developer` are supported, unless the provider's catalogue entry
   * says otherwise.
   */
  readonly developerRole: boolean;
}

/**
 * The single list of wire protocols that a catalogue provider may use. Each has a folder in
 * `services/upstreams`, whose registry does not compile while one is missing.
 */
export const protocols = {
  openai: { developerRole: true },
  dashscope: { developerRole: false },
  xai: { developerRole: true },
  anthropic: { developerRole: true },
  gemini: { developerRole: true },
  ark: { developerRole: true },
  voyage: { developerRole: true },
} as const satisfies Record<string, ProtocolRow>;

/** Every protocol's name, in the table's order. */
export const protocolNames = Object.keys(protocols) as (keyof typeof protocols)[];
