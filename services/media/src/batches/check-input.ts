import { batchBounds } from "@uag/contract/requests/batches";
import { nextTurn } from "@uag/runtime/next-turn";
import type { BatchEndpoint, BatchError } from "./batch.ts";
import { isBlank, type Line } from "./lines.ts";
import { type BatchRequest, faultOf, type LineFault, readLine } from "./read-line.ts";

/** What a valid input file contains, or its faults. */
export interface CheckedInput {
  readonly total: number;
  readonly model: string | undefined;
  /** Empty: the file is valid. */
  readonly errors: readonly BatchError[];
}

/** Faults that are reported; a file with more is not read further. */
const maxErrors = 100;
/** Lines that are parsed before other work has its turn. */
const linesPerTurn = 32;

/**
 * Checks every line of a batch's input file before any of them runs: its structure, unique ids, one
 * endpoint, one model.
 */
export async function checkInput(lines: AsyncIterable<Line>, endpoint: BatchEndpoint): Promise<CheckedInput> {
  const errors: BatchError[] = [];
  const checks = new LineChecks(endpoint);
  let total = 0;
  for await (const { number, bytes } of lines) {
    if (bytes !== undefined && isBlank(bytes)) continue;
    if (++total > batchBounds.lines)
      return { total, model: undefined, errors: [{ ...tooMany, param: null, line: number }] };
    if (total % linesPerTurn === 0) await nextTurn();
    const fault = bytes === undefined ? tooLong : await readLine(bytes).then((line) => checks.fault(line), faultOf);
    if (fault !== undefined) errors.push({ ...fault, line: number });
    if (errors.length === maxErrors) break;
  }
  if (total === 0) errors.push({ code: "empty_file", message: "The file has no requests.", param: null, line: null });
  return { total, model: checks.model, errors };
}

const tooMany = {
  code: "too_many_requests",
  message: `The file has more than ${batchBounds.lines} requests. Split it into several batches.`,
};
const tooLong: LineFault = {
  code: "request_too_large",
  message: "The line is longer than a request body may be.",
  param: null,
};

/** What the lines of a file must have in common, and what each must have alone. */
class LineChecks {
  readonly #endpoint: BatchEndpoint;
  readonly #ids = new Set<string>();
  model: string | undefined;

  constructor(endpoint: BatchEndpoint) {
    this.#endpoint = endpoint;
  }

  fault({ customId, url, model }: BatchRequest): LineFault | undefined {
    if (url !== this.#endpoint)
      return {
        code: "mismatched_endpoint",
        message: `url must be the batch's endpoint, ${this.#endpoint}.`,
        param: "url",
      };
    if (this.#ids.has(customId))
      return { code: "duplicate_custom_id", message: "Another line has the same custom_id.", param: "custom_id" };
    this.#ids.add(customId);
    this.model ??= model;
    if (model === this.model) return undefined;
    const message = `All lines must name the same model; an earlier one names ${this.model}.`;
    return { code: "mismatched_model", message, param: "body.model" };
  }
}
