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
  /** Tools as JSON, as the API takes them; empty for none. */
  readonly tools: string;
}

/** A function that a model asks for, with its arguments as JSON. */
export interface ToolCall {
  readonly name: string;
  readonly arguments: string;
}

export interface ModelResponse {
  readonly text: string;
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

/** The tools of the settings; undefined for none, or for text that is not a JSON array. */
export function toolsOf(text: string): unknown[] | undefined {
  if (text.trim() === "") return undefined;
  try {
    const tools: unknown = JSON.parse(text);
    return Array.isArray(tools) && tools.length > 0 ? tools : undefined;
  } catch {
    return undefined;
  }
}

function contentOf({ text, images }: UserMessage): string | object[] {
  if (images.length === 0) return text;
  return [{ type: "text", text }, ...images.map((url) => ({ type: "image_url", image_url: { url } }))];
}

/** The request for one model's next response: it sees its own conversation, not the others'. */
export function chatBody(model: string, turns: readonly Turn[], message: UserMessage, settings: Settings): object {
  // Omits responses with only a tool call, because the playground does not run tools.
  const history = turns.flatMap(({ message: earlier, responses }) => {
    const text = responses[model]?.text;
    const user = { role: "user", content: contentOf(earlier) };
    return text ? [user, { role: "assistant", content: text }] : [user];
  });
  const system = settings.system === "" ? [] : [{ role: "system", content: settings.system }];
  const tools = toolsOf(settings.tools);
  return {
    model,
    messages: [...system, ...history, { role: "user", content: contentOf(message) }],
    ...(settings.temperature !== "" && { temperature: settings.temperature }),
    ...(settings.maxTokens !== "" && { max_completion_tokens: settings.maxTokens }),
    ...(tools !== undefined && { tools }),
    stream: true,
    stream_options: { include_usage: true },
  };
}
