import type { ContextOptions } from "@uag/pipeline/context";

/** A budget of fetched URLs that never refuses. */
export const unlimitedFetches: ContextOptions["fetchBudget"] = { take: async () => {} };
