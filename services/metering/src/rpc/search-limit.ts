import type { SearchLimit } from "@uag/mongo/long-search";

const remedy = "Choose a shorter period, or filter by account.";
const param = "filter.from_ms";

/** Of a list of single events: a filter that few match reads every row of its period. */
export const eventSearch: SearchLimit = { maxTimeMS: 10_000, remedy, param };
/** Of queries of roll-ups and refusals. */
export const sumSearch: SearchLimit = { maxTimeMS: 15_000, remedy, param };
/** Of the latest refusals, which have no period. */
export const refusalSearch: SearchLimit = {
  maxTimeMS: 15_000,
  remedy: "Filter by account or by key.",
  param: "filter.account_id",
};
