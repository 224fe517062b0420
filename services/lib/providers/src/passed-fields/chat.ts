import { bounded, type FieldTable, free, refused } from "./cost-class.ts";

const openAi = "https://platform.openai.com/docs/api-reference/chat/create";
const dashScope = "https://www.alibabacloud.com/help/en/model-studio/qwen-api-via-openai-chat-completions";
const vllm = "https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html";
const openRouter = "https://openrouter.ai/docs/api-reference/overview";
const mistral = "https://docs.mistral.ai/api/";

const standardTier = "Only `auto` and `default` are sent: other tiers have prices of their own.";
const usualCache = "A cache with another lifetime than 30 minutes has a price of its own, and is not requested.";
const runByProvider = "the model's provider runs it, and this model has no price for it";
const otherModel = "another model has another price. Send the request again with that model instead";
const hiddenOutput = "it makes the provider generate output that it bills and does not return";

/** `POST /v1/chat/completions`: OpenAI's fields, and those of providers with its protocol. */
export const chatFieldCosts: FieldTable = {
  audio: bounded("speech"),
  frequency_penalty: free(openAi),
  function_call: free(openAi),
  functions: bounded("input"),
  logit_bias: free(openAi),
  logprobs: free(openAi),
  max_completion_tokens: bounded("output"),
  max_tokens: bounded("output"),
  messages: bounded("input"),
  "messages[].audio": bounded("media"),
  "messages[].content[].image_url": bounded("media"),
  "messages[].content[].input_audio": bounded("media"),
  "messages[].content[].file": bounded("media"),
  "messages[].content[].video_url": bounded("media"),
  metadata: free(openAi),
  modalities: bounded("speech"),
  model: bounded("input"),
  moderation: free("https://platform.openai.com/docs/guides/moderation"),
  n: bounded("candidates"),
  parallel_tool_calls: free(openAi),
  // Tokens of a prediction that the model rejects are billed as output.
  prediction: bounded("prediction"),
  presence_penalty: free(openAi),
  prompt_cache_key: free("https://platform.openai.com/docs/guides/prompt-caching"),
  prompt_cache_options: free("https://platform.openai.com/docs/guides/prompt-caching", usualCache),
  prompt_cache_retention: free("https://platform.openai.com/docs/guides/prompt-caching"),
  reasoning_effort: bounded("output"),
  response_format: bounded("input"),
  safety_identifier: free(openAi),
  seed: free(openAi),
  service_tier: free("https://platform.openai.com/docs/guides/priority-processing", standardTier),
  stop: free(openAi),
  store: free(openAi),
  stream: free(openAi),
  stream_options: free(openAi),
  temperature: free(openAi),
  tool_choice: bounded("input"),
  tools: bounded("input"),
  "tools[] web_search": refused(runByProvider),
  top_logprobs: free(openAi),
  top_p: free(openAi),
  user: free(openAi),
  verbosity: bounded("output"),
  web_search_options: refused(runByProvider),

  // DashScope
  asr_options: bounded("input"),
  enable_code_interpreter: refused(runByProvider),
  enable_search: refused(runByProvider),
  enable_thinking: bounded("output"),
  incremental_output: free(dashScope),
  ocr_options: bounded("media"),
  preserve_thinking: bounded("input"),
  repetition_penalty: free(dashScope),
  result_format: free(dashScope),
  search_options: refused(runByProvider),
  thinking_budget: bounded("output"),
  tool_stream: free(dashScope),
  top_k: free(dashScope),
  translation_options: bounded("input"),
  vl_high_resolution_images: bounded("media"),

  // DeepSeek, Moonshot
  thinking: bounded("output"),

  // xAI
  deferred: refused("a response without usage cannot be billed"),
  search_parameters: refused(runByProvider),

  // Mistral
  prompt_mode: bounded("output"),
  random_seed: free(mistral),
  safe_prompt: bounded("input"),

  // Servers of open models
  add_generation_prompt: free(vllm),
  allowed_token_ids: free(vllm),
  bad_words: free(vllm),
  best_of: refused(hiddenOutput),
  cache_salt: free(vllm),
  chat_template_kwargs: bounded("output"),
  continue_final_message: free(vllm),
  guided_choice: bounded("input"),
  guided_grammar: bounded("input"),
  guided_json: bounded("input"),
  guided_regex: bounded("input"),
  ignore_eos: bounded("output"),
  include_stop_str_in_output: free(vllm),
  length_penalty: free(vllm),
  min_p: free(vllm),
  min_tokens: bounded("output"),
  skip_special_tokens: free(vllm),
  stop_token_ids: free(vllm),
  structured_outputs: bounded("input"),
  truncate_prompt_tokens: bounded("input"),
  use_beam_search: refused(hiddenOutput),

  // Relays
  include_reasoning: free(openRouter),
  mcp_servers: refused(runByProvider),
  models: refused(otherModel),
  plugins: refused(runByProvider),
  reasoning: bounded("output"),
  reasoning_format: free("https://console.groq.com/docs/reasoning"),
  route: refused(otherModel),
  top_a: free(openRouter),
  transforms: bounded("input"),
  usage: free(openRouter),
};
