import { errorBody } from "@uag/contract/errors/shapes";
import { reportOf } from "@uag/pipeline/client-error";
import { nestedErrors } from "@uag/pipeline/nested-error";
import { withCost } from "@uag/providers/formats/cost";
import { responsesFormat } from "@uag/providers/formats/responses/format";
import { responsesFieldCosts } from "@uag/providers/passed-fields/responses";
import { encodeSse } from "@uag/untrusted/sse/encoder";
import { startInBackground } from "../background/start.ts";
import type { ChatContext } from "../context.ts";
import type { ClientFormat } from "../format.ts";
import { modelOf, readResponsesRequest } from "../request/responses-request.ts";
import { statefulBody } from "../state/expand.ts";
import { ResponseKeeper } from "../state/keep.ts";
import { isAboutRequest } from "./about-request.ts";

const none: readonly string[] = [];

/** `POST /v1/responses`, of which nothing is stored: {@link storingResponses} stores. */
export const responses: ClientFormat = {
  name: "responses",
  format: responsesFormat,
  outputCapField: "max_output_tokens",
  knownFields: responsesFieldCosts,
  modelOf,
  read: readResponsesRequest,
  passedHeaders: () => none,
  ...nestedErrors,
  keepAlive: undefined,
  withCost: (closing, cost) => withCost("responses", closing, cost),
  // OpenAI's reference, "response.failed" and "error" among the streaming events.
  errorEvent(clientError) {
    const { failure } = clientError;
    if (failure?.body !== undefined && isAboutRequest(failure.kind))
      return encodeSse({ name: "response.failed", data: failure.body.toString("utf8") });
    const { message, code, param } = errorBody("nested", reportOf(clientError)).error;
    return encodeSse({ name: "error", data: JSON.stringify({ type: "error", code, message, param }) });
  },
};

/** The same with the responses of accounts that store them. */
export function storingResponses({
  stored,
  background,
  events,
}: Pick<ChatContext, "stored" | "background" | "events">): ClientFormat {
  if (stored === undefined) return { ...responses, body: statefulBody(undefined) };
  const keeper = new ResponseKeeper({ store: stored, failed: events.failed.bind(events) });
  const start = background && startInBackground({ ...background, stored });
  return { ...responses, body: statefulBody(stored), keeper, background: start };
}
