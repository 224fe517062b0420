import { googleErrors } from "@uag/pipeline/google-errors";
import { defineUnbilled } from "@uag/pipeline/operation/define-query";
import type { Operation } from "@uag/pipeline/operation/operation";
import { modelOf } from "@uag/pipeline/request/model-of";
import { countPrompt } from "@uag/providers/count";
import type { ChatContext } from "../context.ts";
import { generateContentBody } from "../request/generate-content-body.ts";
import { countedRequest } from "../request/generate-content-request.ts";
import { checkUrls } from "../request/urls.ts";

/** `POST /v1beta/models/{model}:countTokens`: free; an estimate for models that Gemini does not serve. */
export function countGeminiTokens(context: ChatContext): Operation {
  return defineUnbilled(context, {
    name: "generate_content",
    body: generateContentBody,
    modelOf: ({ fields }) => modelOf({ fields }),
    read({ body, fields: sent }) {
      const fields = countedRequest(sent);
      checkUrls(fields, context.guarded);
      return { body, fields };
    },
    errorFormat: googleErrors,
    async respond({ exchange: { requestId, signal }, model: { upstreams }, request }) {
      const totalTokens = await countPrompt({
        format: "generate_content",
        pools: context.pools,
        call: { requestId, ...request, headers: [] },
        upstreams,
        signal,
        onFailure: (upstream, failure) => context.events.upstreamFailed(requestId, upstream, failure),
      });
      return { body: { totalTokens } };
    },
  });
}
