import { errorText } from "@uag/contract/errors/shapes";
import { type ClientError, reportOf } from "@uag/pipeline/client-error";
import { messagesFormat } from "@uag/providers/formats/messages/format";
import { messagesFieldCosts } from "@uag/providers/passed-fields/messages";
import { encodeSse } from "@uag/untrusted/sse/encoder";
import type { ClientFormat } from "../format.ts";
import { modelOf, readMessagesRequest } from "../request/messages-request.ts";
import { isAboutRequest } from "./about-request.ts";

/** `POST /v1/messages` */
export const messages: ClientFormat = {
  name: "messages",
  format: messagesFormat,
  outputCapField: "max_tokens",
  knownFields: messagesFieldCosts,
  modelOf,
  read: readMessagesRequest,
  passedHeaders: anthropicHeaders,
  errorStatus: ({ error, failure }) => {
    const isTheirs = failure?.kind === "client" || failure?.kind === "transient";
    return isTheirs && failure.body !== undefined && failure.status >= 400 ? failure.status : error.httpStatus;
  },
  errorBody,
  errorEvent: (clientError) => encodeSse({ name: "error", data: errorBody(clientError).toString("utf8") }),
  keepAlive: Buffer.from('event: ping\ndata: {"type": "ping"}\n\n'),
};

/** Version, betas and any other Anthropic header that belongs to the body's fields. */
function anthropicHeaders(headers: readonly string[]): string[] {
  const passed: string[] = [];
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = headers[i] as string;
    if (name.startsWith("anthropic-")) passed.push(name, headers[i + 1] as string);
  }
  return passed;
}

/**
 * An upstream's own body verbatim, because clients match its wording; otherwise ours in the same
 * shape.
 */
function errorBody(clientError: ClientError): Buffer {
  const { failure } = clientError;
  if (failure?.body !== undefined && isAboutRequest(failure.kind)) return failure.body;
  return Buffer.from(errorText("native", reportOf(clientError)));
}
