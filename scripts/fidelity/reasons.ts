import type { Column } from "./columns.ts";

/** A field at an upstream that drops it. */
export interface Place {
  /** The endpoint's path. */
  readonly path: string;
  /** The field's name in the table. */
  readonly name: string;
  readonly column: Column;
}

/** A reason, and the columns that it applies to; undefined: all. */
interface Reason {
  readonly text: string;
  readonly columns?: readonly Column[];
}

const translated: readonly Column[] = ["Anthropic", "Gemini"];
const exceptOpenAi: readonly Column[] = ["Anthropic", "Gemini", "DashScope", "xAI", "Moonshot", "DeepSeek"];
const exceptAnthropic: readonly Column[] = [
  "OpenAI",
  "OpenAI (reasoning)",
  "Gemini",
  "DashScope",
  "xAI",
  "Moonshot",
  "DeepSeek",
];
const exceptGemini: readonly Column[] = [
  "OpenAI",
  "OpenAI (reasoning)",
  "Anthropic",
  "DashScope",
  "xAI",
  "Moonshot",
  "DeepSeek",
];
const reasoning: readonly Column[] = ["OpenAI (reasoning)", "xAI", "Moonshot"];

const noCounterpart = "The provider has no such option.";
const ignored = "Reasoning models ignore or reject it.";
const standardPrice = "Requests are served at the standard tier, which is the tier that the price list has.";
const notStored = "The gateway stores no responses.";
const notTranslated = "The provider has a similar option of another form, which the gateway does not translate.";
const notEnabled =
  "Google enables it for none of these models. `openai_options: [logprobs]` in the catalogue requests it where it is.";
const notReasoning = "The model does not reason.";
const unsigned = "The provider takes back only reasoning that it made and signed itself.";
const loadedAtOnce = "The model gets all tools at once, so that it needs no search.";

const only = (columns: readonly Column[], text: string): Reason => ({ columns, text });
const all = (text: string): Reason => ({ text });

const byPath: Readonly<Record<string, Readonly<Record<string, readonly Reason[]>>>> = {
  "/v1/chat/completions": {
    "messages[].name": [only(translated, noCounterpart)],
    "messages[].content[].image_url.detail": [only(["Anthropic"], noCounterpart), only(["Gemini"], notTranslated)],
    "messages[].reasoning_content": [only(translated, unsigned)],
    audio: [only(reasoning, ignored)],
    frequency_penalty: [only(reasoning, ignored), only(translated, noCounterpart)],
    logit_bias: [only(reasoning, ignored), only(translated, noCounterpart)],
    logprobs: [only(reasoning, ignored), only(["Anthropic"], noCounterpart), only(["Gemini"], notEnabled)],
    top_logprobs: [only(reasoning, ignored), only(["Anthropic"], noCounterpart), only(["Gemini"], notEnabled)],
    metadata: [only(translated, notStored)],
    modalities: [only(reasoning, ignored), only(translated, "The model responds with text.")],
    parallel_tool_calls: [only(["Gemini"], noCounterpart)],
    prediction: [only(reasoning, ignored), only(translated, noCounterpart)],
    presence_penalty: [only(reasoning, ignored), only(translated, noCounterpart)],
    prompt_cache_key: [only(translated, noCounterpart)],
    prompt_cache_retention: [only(translated, noCounterpart)],
    "response_format.json_schema.strict": [only(translated, "The provider always enforces the schema.")],
    safety_identifier: [only(translated, noCounterpart)],
    seed: [only(["Anthropic"], noCounterpart)],
    service_tier: [only(translated, standardPrice)],
    "service_tier priority": [all(standardPrice)],
    stop: [only(reasoning, ignored)],
    store: [only(translated, notStored)],
    temperature: [only(reasoning, ignored)],
    "tools[].function.strict": [only(["Gemini"], noCounterpart)],
    top_p: [only(reasoning, ignored)],
    user: [only(["Gemini"], noCounterpart)],
    verbosity: [only(translated, noCounterpart)],
  },
  "/v1/responses": {
    "input[] reasoning.summary": [
      only(["OpenAI", "OpenAI (reasoning)", "Anthropic", "Gemini", "DashScope", "xAI"], unsigned),
    ],
    "include message.output_text.logprobs": [
      only(reasoning, ignored),
      only(["Anthropic"], noCounterpart),
      only(["Gemini"], notEnabled),
      only(["DashScope", "DeepSeek"], notTranslated),
    ],
    "include reasoning.encrypted_content": [all("Reasoning that the provider signed is always included.")],
    max_tool_calls: [all("It limits tools that the provider runs, which are not available.")],
    metadata: [all(notStored)],
    parallel_tool_calls: [only(["Gemini"], noCounterpart)],
    prompt_cache_key: [only(exceptOpenAi, noCounterpart)],
    prompt_cache_retention: [only(exceptOpenAi, noCounterpart)],
    "reasoning.effort": [only(["OpenAI"], notReasoning)],
    "reasoning.effort none": [only(["OpenAI"], notReasoning)],
    "reasoning.summary": [all("A summary is included whenever the provider reveals one.")],
    safety_identifier: [only(exceptOpenAi, noCounterpart)],
    service_tier: [all(standardPrice)],
    "service_tier priority": [all(standardPrice)],
    store: [all(notStored)],
    temperature: [only(reasoning, ignored)],
    "text.format.strict": [only(translated, "The provider always enforces the schema.")],
    "text.verbosity": [only(exceptOpenAi, noCounterpart)],
    "tools[].strict": [only(exceptOpenAi, noCounterpart)],
    "tools[] tool_search": [all(loadedAtOnce)],
    "tools[].defer_loading": [all(loadedAtOnce)],
    top_logprobs: [all("It has an effect only where log probabilities are included.")],
    top_p: [only(reasoning, ignored)],
    truncation: [all("A prompt that exceeds the model's context is an error.")],
    user: [only(["Gemini"], noCounterpart)],
  },
  "/v1/messages": {
    "messages[].content[].document.citations": [only(exceptAnthropic, noCounterpart)],
    "messages[].content[].thinking": [only(exceptAnthropic, unsigned)],
    cache_control: [only(exceptAnthropic, "The provider caches prompts automatically.")],
    "context_management clear_tool_uses": [only(exceptAnthropic, noCounterpart)],
    "metadata.user_id": [only(["Gemini"], noCounterpart)],
    "output_config.effort": [only(["OpenAI"], notReasoning)],
    service_tier: [only(exceptAnthropic, standardPrice)],
    stop_sequences: [only(reasoning, ignored)],
    temperature: [only(reasoning, ignored)],
    "thinking enabled": [only(["OpenAI"], notReasoning)],
    "thinking adaptive": [
      only(["OpenAI"], notReasoning),
      only(["OpenAI (reasoning)", "xAI"], "The provider's default is the same: the model decides."),
    ],
    "thinking disabled": [only(["OpenAI"], notReasoning)],
    "tool_choice.disable_parallel_tool_use": [only(["Gemini"], noCounterpart)],
    "tools[].strict": [only(exceptAnthropic, noCounterpart)],
    "tools[].defer_loading": [only(exceptAnthropic, loadedAtOnce)],
    "tools[] tool_search": [only(exceptAnthropic, loadedAtOnce)],
    top_k: [only(exceptAnthropic, noCounterpart)],
    top_p: [only(reasoning, ignored)],
  },
  "/v1beta/models/{model}:generateContent": {
    "contents[].parts[].thoughtSignature": [only(exceptGemini, unsigned)],
    "generationConfig.frequencyPenalty": [only(reasoning, ignored), only(["Anthropic"], noCounterpart)],
    "generationConfig.mediaResolution": [only(exceptGemini, notTranslated)],
    "generationConfig.presencePenalty": [only(reasoning, ignored), only(["Anthropic"], noCounterpart)],
    "generationConfig.seed": [only(["Anthropic"], noCounterpart)],
    "generationConfig.stopSequences": [only(reasoning, ignored)],
    "generationConfig.temperature": [only(reasoning, ignored)],
    "generationConfig.thinkingConfig": [only(["OpenAI"], notReasoning)],
    "generationConfig.topK": [only(exceptGemini, noCounterpart)],
    "generationConfig.topP": [only(reasoning, ignored)],
    safetySettings: [only(exceptGemini, noCounterpart)],
    serviceTier: [only(exceptGemini, standardPrice)],
  },
};

/**
 * Why a field is dropped.
 * @throws {Error} if no reason is given, because the field may be dropped by mistake
 */
export function reasonFor({ path, name, column }: Place): string {
  const reasons = byPath[path]?.[name] ?? [];
  const found = reasons.find(({ columns }) => columns === undefined || columns.includes(column));
  if (found === undefined)
    throw new Error(
      `${path} drops ${name} for ${column}. Pass it on, or give the reason in scripts/fidelity/reasons.ts`,
    );
  return found.text;
}
