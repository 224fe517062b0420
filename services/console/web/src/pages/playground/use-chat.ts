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
import { ask, chunksOf, receiptIdOf, type ToolCallPiece } from "./gateway.ts";

type Action =
  | { readonly type: "sent"; readonly turn: Turn }
  | { readonly type: "changed"; readonly id: number; readonly model: string; readonly change: Partial<ModelResponse> }
  | { readonly type: "cleared" };

const waiting: ModelResponse = {
  text: "",
  toolCalls: [],
  state: "waiting",
  firstMs: null,
  tookMs: null,
  usage: null,
  requestId: null,
  error: null,
};

function reduce(turns: readonly Turn[], action: Action): readonly Turn[] {
  if (action.type === "cleared") return [];
  if (action.type === "sent") return [...turns, action.turn];
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
  let text = "";
  let toolCalls: readonly ToolCall[] = [];
  const received = (change: Partial<ModelResponse>): void => {
    const isFirst = text === "" && toolCalls.length === 0;
    update({ ...change, state: "streaming", ...(isFirst && { firstMs: elapsed() }) });
  };
  try {
    const response = await ask({ path: "/v1/chat/completions", body, account, signal });
    update({ requestId: receiptIdOf(response) });
    for await (const { choices, usage } of chunksOf(response)) {
      const { content, tool_calls: pieces = [] } = choices?.[0]?.delta ?? {};
      if (content) {
        received({ text: text + content });
        text += content;
      }
      if (pieces?.length) {
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

/** A conversation with several models at once. */
export function useChat(models: readonly string[], settings: Settings) {
  const account = useAccountId();
  const [turns, dispatch] = useReducer(reduce, []);
  const aborting = useRef<AbortController>(undefined);
  const send = useCallback(
    (message: UserMessage) => {
      const id = Date.now();
      const controller = new AbortController();
      aborting.current = controller;
      const responses = Object.fromEntries(models.map((model) => [model, waiting]));
      dispatch({ type: "sent", turn: { id, message, responses } });
      for (const model of models)
        void stream({
          body: chatBody(model, turns, message, settings),
          account,
          signal: controller.signal,
          update: (change) => dispatch({ type: "changed", id, model, change }),
        });
    },
    [models, settings, turns, account],
  );
  const stop = (): void => aborting.current?.abort();
  const clear = (): void => {
    stop();
    dispatch({ type: "cleared" });
  };
  const last = Object.values(turns.at(-1)?.responses ?? {});
  const busy = last.some(({ state }) => state === "waiting" || state === "streaming");
  return { turns, send, stop, clear, busy };
}
