import type { FailureKind } from "@uag/providers/failure";

/** Why another model than the requested one serves a request. */
export interface Replaced {
  /** Id of the requested model. */
  readonly model: string;
  /** How it failed last, or that all its upstreams are cooling down. */
  readonly reason: FailureKind | "cooldown";
}
