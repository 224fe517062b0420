import type { ChangePool } from "./change-pool.ts";
import type { Steadiness } from "./steadiness.ts";

/** What the RPCs of limits work with. */
export interface Limits {
  readonly changePool: ChangePool;
  readonly steadiness: Steadiness;
}
