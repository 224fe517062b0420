import { exactFunds } from "./exact-funds.ts";
import { keyedRuns } from "./keyed-runs.ts";
import { limits } from "./limits.ts";
import { outages } from "./outages.ts";
import type { Proof } from "./proof.ts";

/** Everything that `npm run prove` can prove. */
export const proofs: readonly Proof[] = [...outages, keyedRuns, exactFunds, limits];
