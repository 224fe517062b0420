interface ProtocolRow {
  /**
   * Whether messages of role `developer` are understood, unless the provider's row in the catalogue
   * says otherwise.
   */
  readonly developerRole: boolean;
}

/**
 * The wire protocols that a provider of the catalogue may speak: the one list of them. Each has a
 * folder in `services/upstreams`, whose registry does not compile while one is missing.
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
