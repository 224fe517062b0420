import type { Unit } from "@uag/proto/metering/v1/usage.ts";

/** The usage reported by an upstream. */
export interface UsageReport {
  /** In the catalogue's units, none including another. */
  readonly units: Unit[];
  /** The upstream's usage object, unmodified (JSON). */
  readonly raw: Buffer;
}
