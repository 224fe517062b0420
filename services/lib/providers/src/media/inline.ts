import { refusal } from "../conversation/refusal.ts";
import type { Conversation, MediaPart, Turn, UserPart } from "../conversation/types.ts";
import type { InlineSource, MediaFetcher } from "./fetch.ts";

/**
 * The content itself, fetched if only its URL is given.
 * @throws {UpstreamFailure} `client` when it cannot be fetched
 */
export async function inlineMedia(
  part: MediaPart,
  media: MediaFetcher | undefined,
  signal: AbortSignal,
): Promise<InlineSource> {
  const { source, kind, param } = part;
  if (source.type === "inline") return source;
  if (media === undefined) throw refusal(param, `This model accepts ${kind} only as base64.`);
  return await media.fetch(source.url, kind, { param, signal });
}

/**
 * The conversation with the content of each URL in its place, for a cloud that fetches none.
 * @throws {UpstreamFailure} `client` when one cannot be fetched
 */
export async function withInlineMedia(
  conversation: Conversation,
  media: MediaFetcher | undefined,
  signal: AbortSignal,
): Promise<Conversation> {
  const inlined = async <P extends UserPart>(part: P): Promise<P> => {
    if (part.type === "media") return { ...part, source: await inlineMedia(part, media, signal) };
    return part.type === "result" ? { ...part, parts: await Promise.all(part.parts.map(inlined)) } : part;
  };
  const turnOf = async (turn: Turn): Promise<Turn> =>
    turn.role === "user" ? { ...turn, parts: await Promise.all(turn.parts.map(inlined)) } : turn;
  return { ...conversation, turns: await Promise.all(conversation.turns.map(turnOf)) };
}
