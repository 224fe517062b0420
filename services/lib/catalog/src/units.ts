/**
 * Everything counted and billed, each unit separately: no unit contains another. A vendor's count
 * that contains others (such as cached tokens inside prompt tokens) is split up before it gets
 * here.
 */
export const unitTable = {
  input_tokens: { per: 1_000_000, insteadOf: undefined },
  cached_input_tokens: { per: 1_000_000, insteadOf: "input_tokens" },
  cache_write_5m_tokens: { per: 1_000_000, insteadOf: "input_tokens" },
  cache_write_1h_tokens: { per: 1_000_000, insteadOf: undefined },
  image_input_tokens: { per: 1_000_000, insteadOf: "input_tokens" },
  video_input_tokens: { per: 1_000_000, insteadOf: "input_tokens" },
  audio_input_tokens: { per: 1_000_000, insteadOf: undefined },
  cached_audio_input_tokens: { per: 1_000_000, insteadOf: "audio_input_tokens" },
  output_tokens: { per: 1_000_000, insteadOf: undefined },
  // All output of a response with thinking, at vendors whose output price depends on that.
  thinking_output_tokens: { per: 1_000_000, insteadOf: "output_tokens" },
  image_output_tokens: { per: 1_000_000, insteadOf: undefined },
  audio_output_tokens: { per: 1_000_000, insteadOf: undefined },
  characters: { per: 1_000_000, insteadOf: undefined },
  audio_seconds: { per: 1, insteadOf: undefined },
  images: { per: 1, insteadOf: undefined },
  input_images: { per: 1, insteadOf: undefined },
  web_searches: { per: 1, insteadOf: undefined },
  video_seconds: { per: 1, insteadOf: undefined },
} as const satisfies Record<string, UnitRow>;

interface UnitRow {
  /** The catalogue states a price in USD per this many. */
  readonly per: number;
  /**
   * The unit whose price applies where a model does not price this one: a vendor without that
   * discount or surcharge.
   */
  readonly insteadOf: string | undefined;
}

/** Units of a model's input. */
export const inputUnits: ReadonlySet<string> = new Set<UnitName>([
  "input_tokens",
  "cached_input_tokens",
  "cache_write_5m_tokens",
  "cache_write_1h_tokens",
  "image_input_tokens",
  "video_input_tokens",
  "audio_input_tokens",
  "cached_audio_input_tokens",
]);

/** The input units that were read from a cache. */
export const cachedUnits: ReadonlySet<string> = new Set<UnitName>(["cached_input_tokens", "cached_audio_input_tokens"]);

/** Units of a model's output, as far as it is counted in tokens. */
export const outputUnits: ReadonlySet<string> = new Set<UnitName>([
  "output_tokens",
  "thinking_output_tokens",
  "image_output_tokens",
  "audio_output_tokens",
]);

/** A unit that usage is counted and priced in. */
export type UnitName = keyof typeof unitTable;

/**
 * A unit may be priced by variant (`video_seconds:720p`); the part before the colon is the unit.
 */
export function unitOf(name: string): UnitName | undefined {
  const unit = name.split(":", 1)[0] as string;
  return Object.hasOwn(unitTable, unit) ? (unit as UnitName) : undefined;
}
