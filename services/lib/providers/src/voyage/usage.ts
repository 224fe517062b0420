import type { Fields } from "../conversation/fields.ts";
import { type TokenCounts, tokensReported } from "../embeddings/response.ts";
import type { UsageReport } from "../usage-report.ts";

/** Where Voyage's usage has its token count (docs.voyageai.com, embeddings and reranker API). */
export const voyageCounts: TokenCounts = { tokensIn: ({ total_tokens }) => total_tokens };

/** The usage that a response object reports; undefined when it reports none. */
export function voyageUsageIn({ usage }: Fields): UsageReport | undefined {
  return tokensReported(usage, voyageCounts);
}
