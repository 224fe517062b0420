import { type OpenAiVariant, openAiVariant } from "../openai-compatible/variant.ts";

/** Ark's error codes about our account there (ModelArk's list of error codes). */
export const arkVariant: OpenAiVariant = {
  ...openAiVariant,
  quotaCodes: new Set(["SetLimitExceeded", "QuotaExceeded.AgentPlanQuotaExceeded"]),
  operatorCodes: new Set(["AuthenticationError", "InvalidAccountStatus", "AccountOverdueError", "AccessDenied"]),
};
