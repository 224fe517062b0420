import type { ChangePool } from "./change-pool.ts";
import type { LivenessGuard } from "./liveness-guard.ts";

/** What the RPCs of limits work with. */
export interface Limits {
  readonly changePool: ChangePool;
  readonly livenessGuard: LivenessGuard;
}
