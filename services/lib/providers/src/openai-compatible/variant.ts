/** Differences between OpenAI's protocol and a vendor's variant of it. */
export interface OpenAiVariant {
  /** Relative to the provider's base path. */
  readonly path: string;
  /** Error codes under status 429 that mean our account is exhausted, rather than rate limited. */
  readonly quotaCodes: ReadonlySet<string>;
  /** Error codes under any status that concern our account there. */
  readonly operatorCodes: ReadonlySet<string>;
  /** Supports the tool choice `required`. */
  readonly takesRequired: boolean;
  /** Takes `top_k`. */
  readonly takesTopK: boolean;
  /** Accepts audio as a web or data URL, in parts of type `input_audio`. */
  readonly audioByUrl: boolean;
}

/** From OpenAI's guide on error codes; the names of newer billing codes follow the same pattern. */
const openAiQuota = [
  "insufficient_quota",
  "credit_balance_exhausted",
  "billing_hard_limit_reached",
  "billing_not_active",
];

export const openAiVariant: OpenAiVariant = {
  path: "/chat/completions",
  quotaCodes: new Set(openAiQuota),
  operatorCodes: new Set(["invalid_api_key", "account_deactivated", ...openAiQuota]),
  takesRequired: true,
  takesTopK: false,
  audioByUrl: false,
};
