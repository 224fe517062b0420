import { restores } from "../restore/restore.ts";
import { exactFunds } from "./exact-funds.ts";
import { exactLevels } from "./exact-levels.ts";
import { hotAccount } from "./hot-account.ts";
import { keyedRuns } from "./keyed-runs.ts";
import { limits } from "./limits.ts";
import { meteringDown } from "./metering-down.ts";
import { outages } from "./outages.ts";
import type { Proof } from "./proof.ts";

/** Everything that `npm run prove` can prove. */
export const proofs: readonly Proof[] = [
  ...outages,
  meteringDown,
  keyedRuns,
  exactFunds,
  exactLevels,
  hotAccount,
  limits,
  ...restores,
];
