import { liteLlm } from "./litellm/source.ts";
import { newApi } from "./new-api/source.ts";
import { openRouter } from "./openrouter/source.ts";
import type { Source } from "./source.ts";

/** The gateways to import from, by their name in the command. */
export const sources: Readonly<Record<string, Source>> = {
  litellm: liteLlm,
  "new-api": newApi,
  openrouter: openRouter,
};
