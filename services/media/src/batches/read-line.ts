import { GatewayError } from "@uag/contract/errors/gateway-error";
import { batchLine } from "@uag/contract/requests/batches";
import { parseJson, parseJsonInTurns } from "@uag/untrusted/json/parse";
import { checked } from "@uag/untrusted/schema-fault";

/** A request of a batch. */
export interface BatchRequest {
  readonly customId: string;
  readonly model: string;
  readonly url: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Parsing a longer line takes long enough that it should yield to the event loop. */
const longBytes = 256 * 1024;

/** What is wrong with a line. */
export interface LineFault {
  readonly code: string;
  readonly message: string;
  readonly param: string | null;
}

/**
 * Reads a line of an input file: one JSON object, within the limits of a request body.
 * @throws {GatewayError} that says what is wrong with it; {@link faultOf} makes a fault of it
 */
export async function readLine(bytes: Buffer): Promise<BatchRequest> {
  const value = bytes.length > longBytes ? await parseJsonInTurns(bytes) : parseJson(bytes);
  const { custom_id: customId, url, body } = checked(batchLine, value);
  return { customId, model: body.model, url, body };
}

/** @throws anything else than a fault of the line */
export function faultOf(error: unknown): LineFault {
  if (!(error instanceof GatewayError)) throw error;
  if (error.code === "invalid_json") return { code: "invalid_json_line", message: asLine(error.message), param: null };
  return { code: error.code, message: asLine(error.message), param: error.param ?? null };
}

const asLine = (text: string): string => text.replaceAll("The request body", "The line");
