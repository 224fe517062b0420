/** Usage in the provider's own words. */
export interface Usage {
  readonly [field: string]: unknown;
}

/**
 * What a provider bills for, such as images, characters, seconds and their resolution, or tokens.
 */
export interface Units {
  readonly [unit: string]: number | string | boolean;
}
