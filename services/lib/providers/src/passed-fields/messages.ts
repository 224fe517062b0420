import { bounded, type FieldTable, free, refused } from "./cost-class.ts";

const anthropic = "https://platform.claude.com/docs/en/api/messages/create";
const diagnostics = "https://platform.claude.com/docs/en/build-with-claude/prompt-caching";

const runByProvider = "the model's provider runs it, and this model has no price for it";
const otherPrice = "it has a price other than the standard one, which is not in the price list";
const otherRun = "it makes the provider run a model in addition, which the request does not bound";

/** `POST /v1/messages`: Anthropic's fields, those of its betas included. */
export const messagesFieldCosts: FieldTable = {
  // Writing to a cache and reading from it are input.
  cache_control: bounded("input"),
  compaction: refused(otherRun),
  container: refused(runByProvider),
  context_management: free("https://platform.claude.com/docs/en/build-with-claude/context-editing"),
  "context_management.edits": free("https://platform.claude.com/docs/en/build-with-claude/context-editing"),
  "context_management compact": refused(otherRun),
  diagnostics: free(diagnostics),
  fallbacks: refused("another model has another price. Send the request again with that model instead"),
  fallback_credit_token: refused(otherPrice),
  inference_geo: free("https://platform.claude.com/docs/en/build-with-claude/data-residency"),
  "inference_geo us": refused(otherPrice),
  max_tokens: bounded("output"),
  mcp_servers: refused(runByProvider),
  messages: bounded("input"),
  "messages[].content[].image": bounded("media"),
  "messages[].content[].document": bounded("media"),
  metadata: free(anthropic),
  model: bounded("input"),
  "output_config.effort": bounded("output"),
  "output_config.format": bounded("input"),
  "output_config.task_budget": bounded("output"),
  output_format: bounded("input"),
  service_tier: free("https://platform.claude.com/docs/en/api/service-tiers"),
  speed: free("https://platform.claude.com/docs/en/build-with-claude/fast-mode"),
  "speed fast": refused(otherPrice),
  stop_sequences: free(anthropic),
  stream: free(anthropic),
  system: bounded("input"),
  temperature: free(anthropic),
  thinking: bounded("output"),
  tool_choice: bounded("input"),
  tools: bounded("input"),
  "tools[] code_execution": refused(runByProvider),
  "tools[] tool_search": bounded("toolUses"),
  "tools[] web_fetch": bounded("toolUses"),
  "tools[] web_search": bounded("toolUses"),
  top_k: free(anthropic),
  top_p: free(anthropic),
};
