/** The setting with each provider's admin key. Without it the provider is not reconciled. */
export const keySettings = { openai: "OPENAI_ADMIN_KEY", anthropic: "ANTHROPIC_ADMIN_KEY" } as const;

/** A provider of the catalogue that publishes its usage and costs. */
export type ReportingProvider = keyof typeof keySettings;
