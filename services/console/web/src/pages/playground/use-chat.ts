import { useCallback, useReducer, useRef } from "react";
import { useAccountId } from "../../shell/account.ts";
import {
  chatBody,
  type ModelResponse,
  type Settings,
  type ToolCall,
  type Turn,
  type UserMessage,
} from "./conversation.ts";
import { ask, type ChunkChoice, chunksOf, receiptIdOf, type ToolCallPiece } from "./gateway.ts";

type Action =
  | { readonly type: "changed"; readonly id: number; readonly model: string; readonly change: Partial<ModelResponse> }
  | { readonly type: "shown"; readonly turns: readonly Turn[] };

const waiting: ModelResponse = {
  texts: [],
  toolCalls: [],
  state: "waiting",
  firstMs: null,
  tookMs: null,
  usage: null,
  requestId: null,
  error: null,
};

function reduce(turns: readonly Turn[], action: Action): readonly Turn[] {
  if (action.type === "shown") return action.turns;
  const { id, model, change } = action;
  return turns.map((turn) => {
    if (turn.id !== id) return turn;
    const response = { ...(turn.responses[model] ?? waiting), ...change };
    return { ...turn, responses: { ...turn.responses, [model]: response } };
  });
}

/** Adds the pieces of calls that a part of a stream brings to what there is of them. */
function joined(calls: readonly ToolCall[], pieces: readonly ToolCallPiece[]): readonly ToolCall[] {
  const all = [...calls];
  for (const { index, function: piece } of pieces) {
    const { name, arguments: text } = all[index] ?? { name: "", arguments: "" };
    all[index] = { name: name + (piece?.name ?? ""), arguments: text + (piece?.arguments ?? "") };
  }
  return all;
}

/** Adds what a part of a stream brings to the text of each candidate; the same texts if it brings none. */
function withPieces(texts: readonly string[], choices: readonly ChunkChoice[]): readonly string[] {
  const pieces = choices.filter(({ delta }) => delta?.content);
  if (pieces.length === 0) return texts;
  const all = [...texts];
  for (const { index = 0, delta } of pieces) all[index] = (all[index] ?? "") + (delta?.content ?? "");
  // Candidates may begin out of order.
  return Array.from(all, (text) => text ?? "");
}

interface Streaming {
  readonly body: object;
  readonly account: string | undefined;
  readonly signal: AbortSignal;
  readonly update: (change: Partial<ModelResponse>) => void;
}

/** Streams one model's response, and reports each change of it. */
async function stream({ body, account, signal, update }: Streaming): Promise<void> {
  const startedAt = performance.now();
  const elapsed = (): number => Math.round(performance.now() - startedAt);
  let texts: readonly string[] = [];
  let toolCalls: readonly ToolCall[] = [];
  const received = (change: Partial<ModelResponse>): void => {
    const isFirst = texts.length === 0 && toolCalls.length === 0;
    update({ ...change, state: "streaming", ...(isFirst && { firstMs: elapsed() }) });
  };
  try {
    const response = await ask({ path: "/v1/chat/completions", body, account, signal });
    update({ requestId: receiptIdOf(response) });
    for await (const { choices = [], usage } of chunksOf(response)) {
      const written = withPieces(texts, choices);
      if (written !== texts) {
        received({ texts: written });
        texts = written;
      }
      const pieces = choices.flatMap(({ delta }) => delta?.tool_calls ?? []);
      if (pieces.length > 0) {
        const calls = joined(toolCalls, pieces);
        received({ toolCalls: calls });
        toolCalls = calls;
      }
      if (usage) update({ usage: { input: usage.prompt_tokens, output: usage.completion_tokens } });
    }
    update({ state: "done", tookMs: elapsed() });
  } catch (error) {
    if (signal.aborted) update({ state: "stopped", tookMs: elapsed() });
    else
      update({ state: "failed", tookMs: elapsed(), error: error instanceof Error ? error : new Error(String(error)) });
  }
}

/** A conversation with several models at once. @param initial the turns that it begins with */
export function useChat(models: readonly string[], settings: Settings, initial: readonly Turn[]) {
  const account = useAccountId();
  const [turns, dispatch] = useReducer(reduce, initial);
  const aborting = useRef<AbortController>(undefined);
  const ask = useCallback(
    (earlier: readonly Turn[], message: UserMessage, id = Date.now()) => {
      const controller = new AbortController();
      aborting.current = controller;
      const responses = Object.fromEntries(models.map((model) => [model, waiting]));
      dispatch({ type: "shown", turns: [...earlier, { id, message, responses }] });
      for (const model of models)
        void stream({
          body: chatBody(model, earlier, message, settings),
          account,
          signal: controller.signal,
          update: (change) => dispatch({ type: "changed", id, model, change }),
        });
    },
    [models, settings, account],
  );
  const stop = (): void => aborting.current?.abort();
  const show = (shown: readonly Turn[]): void => {
    stop();
    dispatch({ type: "shown", turns: shown });
  };
  const send = (message: UserMessage): void => ask(turns, message);
  const retry = (): void => {
    const last = turns.at(-1);
    if (last !== undefined) ask(turns.slice(0, -1), last.message, last.id);
  };
  const last = Object.values(turns.at(-1)?.responses ?? {});
  const busy = last.some(({ state }) => state === "waiting" || state === "streaming");
  return { turns, send, retry, stop, show, busy };
}
