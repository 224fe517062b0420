/** Usage in the provider's own format. */
export interface Usage {
  readonly [field: string]: unknown;
}

/** What a provider bills for, e.g. images, characters, seconds and their resolution, or tokens. */
export interface Units {
  readonly [unit: string]: number | string | boolean;
}
