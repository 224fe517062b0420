import { type OpenAiDialect, openAiDialect } from "../openai-compatible/variant.ts";

/** Ark's codes about our account there (ModelArk's list of error codes). */
export const arkDialect: OpenAiDialect = {
  ...openAiDialect,
  quotaCodes: new Set(["SetLimitExceeded", "QuotaExceeded.AgentPlanQuotaExceeded"]),
  operatorCodes: new Set(["AuthenticationError", "InvalidAccountStatus", "AccountOverdueError", "AccessDenied"]),
};
