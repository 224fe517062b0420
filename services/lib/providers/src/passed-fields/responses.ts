import { bounded, type FieldTable, free, refused } from "./cost-class.ts";

const openAi = "https://platform.openai.com/docs/api-reference/responses/create";
const caching = "https://platform.openai.com/docs/guides/prompt-caching";
const own = "Sent to providers that have the Responses API.";
const standardTier = "Only `auto` and `default` are sent: other tiers have prices of their own.";
const otherRun = "it makes the provider run a model in addition, which the request does not bound";

const notKept = "the gateway stores no responses";
const runByProvider = "the model's provider runs it, and this model has no price for it";

/** `POST /v1/responses`. Where a request is translated, fields that are not here are not sent. */
export const responsesFieldCosts: FieldTable = {
  background: refused(notKept),
  conversation: refused(notKept),
  context_management: refused(otherRun),
  include: free(openAi),
  input: bounded("input"),
  "input[].content[].input_image": bounded("media"),
  "input[].content[].input_file": bounded("media"),
  "input[].content[].input_audio": bounded("media"),
  instructions: bounded("input"),
  max_output_tokens: bounded("output"),
  max_tool_calls: bounded("toolUses"),
  metadata: free(openAi, own),
  model: bounded("input"),
  moderation: free("https://platform.openai.com/docs/guides/moderation"),
  parallel_tool_calls: free(openAi),
  // Replaced before this by the conversation, which is input like any other.
  previous_response_id: refused("no response is stored at providers"),
  prompt: refused(notKept),
  prompt_cache_key: free(caching),
  prompt_cache_options: free(caching, "A cache with another lifetime than 30 minutes is not requested."),
  prompt_cache_retention: free(caching),
  reasoning: bounded("output"),
  safety_identifier: free(openAi),
  service_tier: free(openAi, standardTier),
  store: free(openAi, "Providers get `false`."),
  stream: free(openAi),
  stream_options: free(openAi, own),
  temperature: free(openAi),
  text: bounded("input"),
  "text.format": bounded("input"),
  "text.verbosity": bounded("output"),
  tool_choice: bounded("input"),
  tools: bounded("input"),
  "tools[] code_interpreter": refused(runByProvider),
  "tools[] file_search": refused(runByProvider),
  "tools[] image_generation": refused(runByProvider),
  "tools[] mcp": refused(runByProvider),
  "tools[] tool_search": bounded("toolUses"),
  "tools[] web_search": bounded("toolUses"),
  top_logprobs: free(openAi),
  top_p: free(openAi),
  truncation: free(openAi, own),
  user: free(openAi),
};
