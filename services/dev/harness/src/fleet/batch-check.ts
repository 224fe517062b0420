import type { Billed } from "../audit/billed.ts";

/** A line of a batch's output or error file. */
export interface BatchResult {
  readonly custom_id: string;
  readonly response: { readonly status_code: number; readonly request_id: string } | null;
  readonly error: { readonly code: string } | null;
}

/** What a batch's files and the ledger say of its lines. */
export interface BatchFindings {
  /** Lines with a successful response. */
  readonly succeeded: number;
  /** Lines that failed or did not run, by status or error code. */
  readonly failed: Readonly<Record<string, number>>;
  /** Lines without a result. */
  readonly lost: number;
  /** Lines with several results, and bills beyond one of a line. */
  readonly doubled: number;
  /** Requests with a cost. */
  readonly billed: number;
  readonly violations: readonly string[];
}

/** Reads the lines of a result file. */
export const resultsIn = (text: string): BatchResult[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as BatchResult);

/**
 * Compares a batch's results with the bills of its key, which has no others: each line has one
 * result, each successful one its bill, and each bill its line.
 */
export function checkBatch(
  ids: readonly string[],
  results: readonly BatchResult[],
  billed: readonly Pick<Billed, "requestId" | "costNanoUsd">[],
): BatchFindings {
  const byId = Map.groupBy(results, ({ custom_id }) => custom_id);
  const missing = ids.filter((id) => !byId.has(id));
  const repeated = [...byId].filter(([, { length }]) => length > 1);
  const bills = Map.groupBy(
    billed.filter(({ costNanoUsd }) => costNanoUsd > 0n),
    ({ requestId }) => requestId,
  );
  const named = new Map(
    results.flatMap(({ response }) => (response === null ? [] : [[response.request_id, response]])),
  );
  const succeeded = results.filter(({ response }) => response?.status_code === 200);
  const failed: Record<string, number> = {};
  for (const { response, error } of results) {
    if (response?.status_code === 200) continue;
    const why = error?.code ?? String(response?.status_code);
    failed[why] = (failed[why] ?? 0) + 1;
  }
  const unbilled = succeeded.filter(({ response }) => !bills.has(response?.request_id ?? ""));
  const foreign = [...bills.keys()].filter((id) => !named.has(id));
  const twice = [...bills].filter(([, { length }]) => length > 1);
  return {
    succeeded: succeeded.length,
    failed,
    lost: missing.length,
    doubled: repeated.length + twice.length + foreign.length,
    billed: bills.size,
    violations: [
      ...missing.map((id) => `Line ${id} has no result.`),
      ...repeated.map(([id, { length }]) => `Line ${id} has ${length} results.`),
      ...unbilled.map(({ custom_id }) => `Line ${custom_id} succeeded without a bill.`),
      ...foreign.map((id) => `Request ${id} has a bill, but no line has its result.`),
      ...twice.map(([id, { length }]) => `Request ${id} has ${length} bills.`),
    ],
  };
}
