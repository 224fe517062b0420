/** The simulated model's call of one of the client's tools. */
export interface ToolCall {
  readonly name: string;
  readonly input: Record<string, unknown>;
}

/** Directives in a user message for the simulator itself. */
export interface Steering {
  readonly text?: string;
  readonly words?: number;
  readonly echo?: "body" | "headers";
  readonly calls: readonly ToolCall[];
  readonly callAll: boolean;
  readonly think?: number;
  readonly refuse?: string;
  /** Web searches run by the provider itself. */
  readonly searches?: number;
  /** Web pages fetched by the provider itself. */
  readonly fetches?: number;
  /** The response is withheld. */
  readonly filtered: boolean;
  /** The prompt itself violates the provider's rules. */
  readonly blocked: boolean;
  /** The response fails after it has begun. */
  readonly failed?: { readonly code: string; readonly charged: boolean };
}

type Draft = { -readonly [K in keyof Steering]: Steering[K] } & { calls: ToolCall[] };

function jsonObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

const directives: readonly { pattern: RegExp; apply(draft: Draft, first: string, second: string): void }[] = [
  { pattern: /^repeat (\d{1,7}) words?\b/i, apply: (draft, count) => (draft.words = Number(count)) },
  {
    pattern: /^echo (body|headers)\b/i,
    apply: (draft, what) => (draft.echo = what === "headers" ? "headers" : "body"),
  },
  { pattern: /^think (\d{1,7}) words?\b/i, apply: (draft, count) => (draft.think = Number(count)) },
  { pattern: /^search (\d{1,4}) times?\b/i, apply: (draft, count) => (draft.searches = Number(count)) },
  { pattern: /^fetch (\d{1,4}) pages?\b/i, apply: (draft, count) => (draft.fetches = Number(count)) },
  { pattern: /^refuse: ?(.*)$/i, apply: (draft, text) => (draft.refuse = text) },
  { pattern: /^filtered$/i, apply: (draft) => (draft.filtered = true) },
  {
    pattern: /^fail with (\w{1,64})( charged)?$/i,
    apply: (draft, code, charged) => (draft.failed = { code, charged: charged !== "" }),
  },
  { pattern: /^blocked$/i, apply: (draft) => (draft.blocked = true) },
  { pattern: /^call all tools\b/i, apply: (draft) => (draft.callAll = true) },
  {
    pattern: /^call ([\w.-]{1,128})\s*(\{.*\})\s*$/i,
    apply: (draft, name, input) => draft.calls.push({ name, input: jsonObject(input) ?? {} }),
  },
];

/**
 * Parses the directives in a user message. Each is at the start of a line; `say:` takes all text
 * after it to the end of the message. A message without directives has no effect.
 */
export function steeringOf(message: string): Steering {
  const draft: Draft = { calls: [], callAll: false, filtered: false, blocked: false };
  const reported = /(?:^|\n)[ \t]*say: ?/i.exec(message);
  if (reported !== null) draft.text = message.slice(reported.index + reported[0].length);
  const lines = (reported === null ? message : message.slice(0, reported.index)).split("\n");
  for (const line of lines) {
    for (const { pattern, apply } of directives) {
      const match = pattern.exec(line.trim());
      if (match !== null) apply(draft, match[1] ?? "", match[2] ?? "");
    }
  }
  return draft;
}
