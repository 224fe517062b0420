import { createHmac } from "node:crypto";
import type { BatchDocument, Ending, PartKind } from "./batch.ts";
import { headerIn, type LineResponse } from "./outcome.ts";

/** A line of a result file, and which of the two it is for. */
export interface ResultLine {
  readonly kind: PartKind;
  readonly bytes: Buffer;
}

/** A line of the input file whose result is written. */
export interface NumberedLine {
  readonly customId: string;
  readonly number: number;
}

type Secret = Pick<BatchDocument, "secret">;

/** The idempotency key of a line: the same however often the line is sent. */
export function lineKey({ secret }: Secret, number: number): string {
  return `batch-${createHmac("sha256", secret).update(`key ${number}`).digest("hex")}`;
}

function lineId({ secret }: Secret, number: number): string {
  return `batch_req_${createHmac("sha256", secret).update(`id ${number}`).digest("hex").slice(0, 32)}`;
}

/** The result of a request that was sent. */
export function responseLine(batch: Secret, { customId, number }: NumberedLine, response: LineResponse): ResultLine {
  const { status, headers } = response;
  // A replayed response is that of another request, which has the receipt.
  const requestId = headerIn(headers, "x-gateway-billed-request-id") ?? response.requestId;
  const head = { id: lineId(batch, number), custom_id: customId };
  const before = `${JSON.stringify(head).slice(0, -1)},"response":{"status_code":${status},"request_id":${JSON.stringify(requestId)},"body":`;
  const bytes = Buffer.concat([Buffer.from(before), jsonOf(response), Buffer.from('},"error":null}\n')]);
  return { kind: status === 200 ? "output" : "errors", bytes };
}

/** The result of a request that was not run. */
export function unsentLine(batch: Secret, { customId, number }: NumberedLine, { code, message }: Ending): ResultLine {
  const line = { id: lineId(batch, number), custom_id: customId, response: null, error: { code, message } };
  return { kind: "errors", bytes: Buffer.from(`${JSON.stringify(line)}\n`) };
}

/** A response's body as JSON without line ends, which in JSON are only between values. */
function jsonOf({ headers, body }: LineResponse): Buffer {
  if (!(headerIn(headers, "content-type") ?? "").includes("json")) return Buffer.from(JSON.stringify(body.toString()));
  const flat = Buffer.from(body);
  for (let at = 0; at < flat.length; at++) if (flat[at] === 0x0a || flat[at] === 0x0d) flat[at] = 0x20;
  return flat;
}
