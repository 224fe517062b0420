import { bounded, type FieldTable, free, refused } from "./cost-class.ts";

const openAi = "https://platform.openai.com/docs/api-reference/responses/create";
const caching = "https://platform.openai.com/docs/guides/prompt-caching";
const notSent = "Not sent to any provider.";

const notKept = "the gateway stores no responses";
const runByProvider = "the model's provider runs it, and this model has no price for it";

/** `POST /v1/responses`. Every request is translated: fields that are not here are not sent. */
export const responsesFieldCosts: FieldTable = {
  background: refused(notKept),
  conversation: refused(notKept),
  include: free(openAi),
  input: bounded("input"),
  "input[].content[].input_image": bounded("media"),
  "input[].content[].input_file": bounded("media"),
  "input[].content[].input_audio": bounded("media"),
  instructions: bounded("input"),
  max_output_tokens: bounded("output"),
  max_tool_calls: free(openAi, notSent),
  metadata: free(openAi, notSent),
  model: bounded("input"),
  moderation: free("https://platform.openai.com/docs/guides/moderation"),
  parallel_tool_calls: free(openAi),
  previous_response_id: refused(notKept),
  prompt: refused(notKept),
  prompt_cache_key: free(caching),
  prompt_cache_options: free(caching, "A cache with another lifetime than 30 minutes is not requested."),
  prompt_cache_retention: free(caching),
  reasoning: bounded("output"),
  safety_identifier: free(openAi),
  service_tier: free(openAi, notSent),
  store: free(openAi, notSent),
  stream: free(openAi),
  stream_options: free(openAi, notSent),
  temperature: free(openAi),
  text: bounded("input"),
  "text.format": bounded("input"),
  "text.verbosity": bounded("output"),
  tool_choice: bounded("input"),
  tools: bounded("input"),
  "tools[] web_search": refused(runByProvider),
  top_logprobs: free(openAi),
  top_p: free(openAi),
  truncation: free(openAi, notSent),
  user: free(openAi),
};
