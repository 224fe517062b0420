import { errorText } from "@uag/contract/errors/shapes";
import { encodeSse } from "@uag/untrusted/sse/encoder";
import { type ClientError, type ErrorFormat, reportOf } from "./client-error.ts";

/**
 * OpenAI's error body; what an upstream reported about the request itself keeps its wording and
 * codes.
 */
export const nestedErrors: ErrorFormat = {
  errorBody: (clientError) => Buffer.from(errorText("nested", reportOf(clientError))),
};

/**
 * The error as the last event of a stream of typed events, such as OpenAI's of images and
 * transcripts.
 */
export function typedErrorEvent({ errorBody }: ErrorFormat, clientError: ClientError): Buffer {
  const { error } = JSON.parse(errorBody(clientError).toString("utf8")) as { error: object };
  return encodeSse({ name: "error", data: JSON.stringify({ type: "error", error }) });
}
