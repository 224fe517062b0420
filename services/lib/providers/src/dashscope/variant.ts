import type { OpenAiVariant } from "../openai-compatible/variant.ts";

/**
 * DashScope's compatible mode. Its `insufficient_quota` is a limit of tokens per minute and
 * temporary (Model Studio's list of error codes); permanent ones have other names.
 */
export const dashScopeVariant: OpenAiVariant = {
  path: "/compatible-mode/v1/chat/completions",
  quotaCodes: new Set([
    "CommodityNotPurchased",
    "PrepaidBillOverdue",
    "PostpaidBillOverdue",
    "AllocationQuota.FreeTierOnly",
    "SetLimitExceeded",
  ]),
  operatorCodes: new Set(["Arrearage", "invalid_api_key", "InvalidApiKey", "access_denied", "AccessDenied"]),
  takesRequired: false,
  takesTopK: true,
  audioByUrl: true,
};
