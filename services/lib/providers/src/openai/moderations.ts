import { fieldsOf, listOf, parsedJson } from "../conversation/fields.ts";
import { UpstreamFailure } from "../failure.ts";
import type { JsonAdapter } from "../json-adapter.ts";
import { editMembers, topLevelMembers } from "../json-edit.ts";
import { errorInside, openAiFailure } from "../openai-compatible/errors.ts";
import { bearerHeaders } from "../openai-compatible/headers.ts";
import { openAiVariant } from "../openai-compatible/variant.ts";

/** One request, as the client sent it. */
export interface ModerationCall {
  readonly requestId: string;
  /** Valid JSON, an object. */
  readonly body: Buffer;
  /** The public id of the model, for the response. */
  readonly model: string;
  /** Results that the upstream must return: one for each text of a list, else one. */
  readonly results: number;
}

declare module "../provider.ts" {
  interface Adapters {
    /** The response has the public id of the model, and is otherwise unmodified. */
    readonly moderations?: JsonAdapter<ModerationCall, Buffer>;
  }
}

/** OpenAI's moderations, which are free (OpenAI's reference, create moderation). */
export const openAiModerations: JsonAdapter<ModerationCall, Buffer> = {
  encode: ({ body, requestId }, { model, provider }) => ({
    path: "/moderations",
    headers: bearerHeaders(provider, requestId),
    body: withModel(body, model),
  }),
  decode(body, { model, results }, upstream) {
    const response = parsedJson(body.toString("utf8"));
    if (listOf(fieldsOf(response)["results"]).length === results) return withModel(body, model);
    const text = `the upstream's response does not have ${results} results`;
    throw errorInside(response, upstream, openAiVariant) ?? new UpstreamFailure("transient", text, { status: 200 });
  },
  failureOf: (response, upstream) => openAiFailure(response, upstream, openAiVariant),
};

const withModel = (body: Buffer, model: string): Buffer =>
  editMembers(body, topLevelMembers(body), new Map([["model", JSON.stringify(model)]]));
