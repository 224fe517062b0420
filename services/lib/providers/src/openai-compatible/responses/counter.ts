import type { PromptCounter } from "../../generation.ts";
import { editMembers, topLevelMembers } from "../../json-edit.ts";
import { openAiFailure } from "../errors.ts";
import { providerHeaders } from "../request.ts";
import type { OpenAiVariant } from "../variant.ts";
import { ownInput } from "./input.ts";

/** OpenAI's reference, get input token counts. */
export const responsesCounter = (variant: OpenAiVariant): PromptCounter => ({
  serves: ({ responsesApi }) => responsesApi === true,
  encode({ body, fields, requestId }, { provider, model }) {
    const members = topLevelMembers(body);
    const edits = new Map<string, string | Buffer | undefined>();
    if (model !== fields["model"]) edits.set("model", JSON.stringify(model));
    const input = ownInput(body, fields);
    if (input !== undefined) edits.set("input", input);
    return {
      path: "/responses/input_tokens",
      headers: [...providerHeaders(provider), "x-client-request-id", requestId],
      body: editMembers(body, members, edits),
    };
  },
  field: "input_tokens",
  failureOf: (response, upstream) => openAiFailure(response, upstream, variant),
});
