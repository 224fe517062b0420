import type { CodeOf } from "./code.ts";

/** What the user sends in one turn. */
export interface UserMessage {
  readonly text: string;
  /** Images, as data: URLs. */
  readonly images: readonly string[];
}

export interface Settings {
  readonly system: string;
  readonly temperature: number | "";
  readonly maxTokens: number | "";
  readonly topP: number | "";
  readonly seed: number | "";
  /** How many candidates each model generates. */
  readonly candidates: number | "";
  /** Empty for the model's default. */
  readonly effort: string;
  /** Tools as JSON, as the API takes them; empty for none. */
  readonly tools: string;
  /** A JSON Schema of the response; empty for text. */
  readonly schema: string;
  /** Further fields of the request, as a JSON object; empty for none. */
  readonly others: string;
}

export const defaultSettings: Settings = {
  system: "",
  temperature: "",
  maxTokens: "",
  topP: "",
  seed: "",
  candidates: "",
  effort: "",
  tools: "",
  schema: "",
  others: "",
};

/** A function that a model asks for, with its arguments as JSON. */
export interface ToolCall {
  readonly name: string;
  readonly arguments: string;
}

export interface ModelResponse {
  /** One for each candidate. */
  readonly texts: readonly string[];
  readonly toolCalls: readonly ToolCall[];
  readonly state: "waiting" | "streaming" | "done" | "stopped" | "failed";
  /** Milliseconds from sending to the first words, and to the end. */
  readonly firstMs: number | null;
  readonly tookMs: number | null;
  readonly usage: { readonly input: number; readonly output: number } | null;
  readonly requestId: string | null;
  readonly error: Error | null;
}

/** A message of the user, and the response of each model. */
export interface Turn {
  readonly id: number;
  readonly message: UserMessage;
  readonly responses: Readonly<Record<string, ModelResponse>>;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The tools of the settings; undefined for none, or for text that is not a JSON array. */
export function toolsOf(text: string): unknown[] | undefined {
  const tools = jsonIn(text);
  return Array.isArray(tools) && tools.length > 0 ? tools : undefined;
}

/** A JSON object in a setting; undefined for none, or for any other text. */
export function objectOf(text: string): Readonly<Record<string, unknown>> | undefined {
  const found = jsonIn(text);
  return typeof found === "object" && found !== null && !Array.isArray(found)
    ? (found as Readonly<Record<string, unknown>>)
    : undefined;
}

function contentOf({ text, images }: UserMessage): string | object[] {
  if (images.length === 0) return text;
  return [{ type: "text", text }, ...images.map((url) => ({ type: "image_url", image_url: { url } }))];
}

/** The fields of a request that the settings give. */
function fieldsOf(settings: Settings): Readonly<Record<string, unknown>> {
  const { temperature, maxTokens, topP, seed, candidates, effort } = settings;
  const tools = toolsOf(settings.tools);
  const schema = objectOf(settings.schema);
  return {
    ...(temperature !== "" && { temperature }),
    ...(topP !== "" && { top_p: topP }),
    ...(maxTokens !== "" && { max_completion_tokens: maxTokens }),
    ...(seed !== "" && { seed }),
    ...(candidates !== "" && candidates > 1 && { n: candidates }),
    ...(effort !== "" && { reasoning_effort: effort }),
    ...(tools !== undefined && { tools }),
    ...(schema !== undefined && {
      response_format: { type: "json_schema", json_schema: { name: "response", schema, strict: true } },
    }),
    ...objectOf(settings.others),
  };
}

/** The request for one model's next response: it sees its own conversation, not the others'. */
export function chatBody(
  model: string,
  turns: readonly Turn[],
  message: UserMessage,
  settings: Settings,
): CodeOf["body"] {
  // Omits responses with only a tool call, because the playground does not run tools.
  const history = turns.flatMap(({ message: earlier, responses }) => {
    const text = responses[model]?.texts[0];
    const user = { role: "user", content: contentOf(earlier) };
    return text ? [user, { role: "assistant", content: text }] : [user];
  });
  const system = settings.system === "" ? [] : [{ role: "system", content: settings.system }];
  return {
    model,
    messages: [...system, ...history, { role: "user", content: contentOf(message) }],
    ...fieldsOf(settings),
    stream: true,
    stream_options: { include_usage: true },
  };
}

/** A conversation as Markdown. */
export function markdownOf(turns: readonly Turn[], you: string): string {
  const parts = turns.flatMap(({ message, responses }) => [
    `## ${you}\n\n${message.text}`,
    ...Object.entries(responses).flatMap(([model, { texts }]) => texts.map((text) => `## ${model}\n\n${text}`)),
  ]);
  return `${parts.join("\n\n")}\n`;
}
