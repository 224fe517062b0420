import { createHmac } from "node:crypto";
import { headerOf } from "@uag/runtime/http/header-of";
import type { BatchDocument, Ending, PartKind } from "./batch.ts";
import { flatJson } from "./flat-json.ts";
import type { LineResponse } from "./line-response.ts";
import { messageResult, unsentMessage } from "./message-result.ts";

/** A line of a result file, and which of the two it is for. */
export interface ResultLine {
  readonly kind: PartKind;
  readonly outcome: "completed" | "failed" | "skipped";
  readonly bytes: Buffer;
}

/** A line of the input file whose result is written. */
export interface NumberedLine {
  readonly customId: string;
  readonly number: number;
}

type Batch = Pick<BatchDocument, "secret" | "format">;

/** The idempotency key of a line: the same however often the line is sent. */
export function lineKey({ secret }: Pick<Batch, "secret">, number: number): string {
  return `batch-${createHmac("sha256", secret).update(`key ${number}`).digest("hex")}`;
}

function lineId({ secret }: Pick<Batch, "secret">, number: number): string {
  return `batch_req_${createHmac("sha256", secret).update(`id ${number}`).digest("hex").slice(0, 32)}`;
}

/** The result of a request that was sent. */
export function responseLine(batch: Batch, { customId, number }: NumberedLine, response: LineResponse): ResultLine {
  const { status, headers } = response;
  const outcome = status === 200 ? "completed" : "failed";
  if (batch.format === "anthropic") return { kind: "output", outcome, bytes: messageResult(customId, response) };
  // A replayed response is that of another request, which has the receipt.
  const requestId = headerOf(headers, "x-gateway-billed-request-id") ?? response.requestId;
  const head = { id: lineId(batch, number), custom_id: customId };
  const before = `${JSON.stringify(head).slice(0, -1)},"response":{"status_code":${status},"request_id":${JSON.stringify(requestId)},"body":`;
  const bytes = Buffer.concat([Buffer.from(before), flatJson(response), Buffer.from('},"error":null}\n')]);
  return { kind: status === 200 ? "output" : "errors", outcome, bytes };
}

/** The result of a request that was not run. */
export function unsentLine(batch: Batch, { customId, number }: NumberedLine, ending: Ending): ResultLine {
  const outcome = "skipped";
  if (batch.format === "anthropic") return { kind: "output", outcome, bytes: unsentMessage(customId, ending) };
  const { code, message } = ending;
  const line = { id: lineId(batch, number), custom_id: customId, response: null, error: { code, message } };
  return { kind: "errors", outcome, bytes: Buffer.from(`${JSON.stringify(line)}\n`) };
}
