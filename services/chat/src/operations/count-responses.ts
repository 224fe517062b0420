import { defineUnbilled } from "@uag/pipeline/operation/define-query";
import type { Operation } from "@uag/pipeline/operation/operation";
import { countPrompt } from "@uag/providers/count";
import type { ChatContext } from "../context.ts";
import { modelOf, readResponsesRequest } from "../request/responses-request.ts";
import { checkUrls } from "../request/urls.ts";
import { statefulBody } from "../state/expand.ts";
import { responses } from "./responses.ts";

/** `POST /v1/responses/input_tokens`: free; an estimate for models whose provider does not count. */
export function countResponses(context: ChatContext): Operation {
  return defineUnbilled(context, {
    name: responses.name,
    body: statefulBody(context.stored),
    modelOf: ({ fields }) => modelOf(fields),
    fieldsOf: ({ fields }) => ({ sent: fields, known: responses.knownFields }),
    read(json, model) {
      checkUrls(json.fields, context.guarded);
      return readResponsesRequest(json, model);
    },
    errorFormat: responses,
    async respond({ exchange: { requestId, signal }, model: { upstreams }, request: { body, fields } }) {
      const count = await countPrompt({
        format: "responses",
        pools: context.pools,
        call: { requestId, body, fields, headers: [] },
        upstreams,
        signal,
        onFailure: (upstream, failure) => context.events.upstreamFailed(requestId, upstream, failure),
      });
      return { body: { object: "response.input_tokens", input_tokens: count } };
    },
  });
}
