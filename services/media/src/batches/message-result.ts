import type { Ending } from "./batch.ts";
import { flatJson } from "./flat-json.ts";
import type { LineResponse } from "./line-response.ts";

/** A line of the results of a batch of messages. */
function lineOf(customId: string, result: Buffer): Buffer {
  const before = `{"custom_id":${JSON.stringify(customId)},"result":`;
  return Buffer.concat([Buffer.from(before), result, Buffer.from("}\n")]);
}

/** The result of a message that was sent. */
export function messageResult(customId: string, response: LineResponse): Buffer {
  const [type, member] = response.status === 200 ? ["succeeded", "message"] : ["errored", "error"];
  const before = Buffer.from(`{"type":"${type}","${member}":`);
  return lineOf(customId, Buffer.concat([before, flatJson(response), Buffer.from("}")]));
}

/** The result of a message that was not sent. */
export function unsentMessage(customId: string, { status, code, message }: Ending): Buffer {
  const result = { cancelled: { type: "canceled" }, expired: { type: "expired" }, failed: errored(code, message) };
  return lineOf(customId, Buffer.from(JSON.stringify(result[status])));
}

const keyFaults: ReadonlySet<string> = new Set(["invalid_api_key", "account_disabled"]);

function errored(code: string, message: string) {
  const type = keyFaults.has(code) ? "authentication_error" : code;
  return { type: "errored", error: { type: "error", error: { type, message }, request_id: null } };
}
