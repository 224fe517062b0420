import type { ChangePool } from "./change-pool.ts";
import type { LivenessGuard } from "./liveness-guard.ts";

/** Dependencies of the RPCs for limits. */
export interface Limits {
  readonly changePool: ChangePool;
  readonly livenessGuard: LivenessGuard;
}
