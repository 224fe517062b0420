import type { OperationsHarness } from "../start-operations.ts";
import type { TestUpstream } from "../upstream.ts";

/** What a guarantee is tested on. */
export interface Stage {
  readonly harness: OperationsHarness;
  readonly upstream: TestUpstream;
}
