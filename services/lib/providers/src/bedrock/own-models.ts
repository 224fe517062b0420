import { fieldsOf, textOf } from "../conversation/fields.ts";
import { bearerHeaders } from "../openai-compatible/headers.ts";
import type { OwnModelsAdapter } from "../own-models/types.ts";
import { bedrockFailure } from "./errors.ts";

/**
 * The inference profiles of a region, by whose ids its models are called
 * (https://docs.aws.amazon.com/bedrock/latest/APIReference/API_ListInferenceProfiles.html). Lists are at
 * another host than calls: `bedrock` in place of `bedrock-runtime`.
 */
export const bedrockOwnModels: OwnModelsAdapter = {
  originOf: ({ origin }) => origin.replace("//bedrock-runtime", "//bedrock"),
  pathOf: () => "/inference-profiles?maxResults=1000",
  headersOf: bearerHeaders,
  modelsIn(body) {
    const { inferenceProfileSummaries: profiles } = fieldsOf(body);
    if (!Array.isArray(profiles)) return undefined;
    return profiles.map(fieldsOf).flatMap((profile) => {
      const id = textOf(profile["inferenceProfileId"]);
      return id === undefined ? [] : [{ id, displayName: textOf(profile["inferenceProfileName"]) }];
    });
  },
  failureOf: bedrockFailure,
};
