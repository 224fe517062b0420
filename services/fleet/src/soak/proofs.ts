import { exactFunds } from "./exact-funds.ts";
import { limits } from "./limits.ts";
import { outages } from "./outages.ts";
import type { Proof } from "./proof.ts";

/** Everything that `npm run prove` can show. */
export const proofs: readonly Proof[] = [...outages, exactFunds, limits];
