import type { AssistantPart, Conversation, ResultPart, TextPart, Turn, UserPart } from "./types.ts";

export type SpokenTurn = Exclude<Turn, { role: "system" }>;

/** All system text, wherever it occurs: for protocols with a single place for it. */
export function systemParts(conversation: Conversation): TextPart[] {
  return conversation.turns.flatMap((turn) => (turn.role === "system" ? turn.parts : [])).filter(hasText);
}

/**
 * Makes turns alternate: consecutive turns of one role are merged, tool results come before the
 * user's other parts, and empty parts are dropped (Anthropic and Gemini reject empty text).
 */
export function alternatingTurns(conversation: Conversation): SpokenTurn[] {
  const joined: { role: SpokenTurn["role"]; parts: (UserPart | AssistantPart)[] }[] = [];
  for (const turn of conversation.turns) {
    if (turn.role === "system") continue;
    const parts = (turn.parts as readonly (UserPart | AssistantPart)[]).filter(hasText);
    if (parts.length === 0) continue;
    const last = joined.at(-1);
    if (last?.role === turn.role) last.parts.push(...parts);
    else joined.push({ role: turn.role, parts });
  }
  for (const turn of joined) if (turn.role === "user") turn.parts.sort((a, b) => resultsFirst(a) - resultsFirst(b));
  return joined as SpokenTurn[];
}

/** All text of a tool result. */
export function resultText(result: ResultPart): string {
  return result.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

function resultsFirst(part: UserPart | AssistantPart): number {
  return part.type === "result" ? 0 : 1;
}

function hasText(part: UserPart | AssistantPart): boolean {
  return part.type !== "text" || part.text !== "";
}
