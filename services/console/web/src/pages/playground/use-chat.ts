import { useCallback, useReducer, useRef } from "react";
import { useAccountId } from "../../shell/account.ts";
import { type Answer, chatBody, type Said, type Settings, type ToolCall, type Turn } from "./conversation.ts";
import { ask, chunksOf, receiptIdOf, type ToolCallPiece } from "./gateway.ts";

type Action =
  | { readonly type: "said"; readonly turn: Turn }
  | { readonly type: "heard"; readonly id: number; readonly model: string; readonly change: Partial<Answer> }
  | { readonly type: "cleared" };

const waiting: Answer = {
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
  if (action.type === "said") return [...turns, action.turn];
  const { id, model, change } = action;
  return turns.map((turn) => {
    if (turn.id !== id) return turn;
    const answer = { ...(turn.answers[model] ?? waiting), ...change };
    return { ...turn, answers: { ...turn.answers, [model]: answer } };
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

interface Listening {
  readonly body: object;
  readonly account: string | undefined;
  readonly signal: AbortSignal;
  readonly tell: (change: Partial<Answer>) => void;
}

/** Streams one model's answer, and tells of it as it comes. */
async function listen({ body, account, signal, tell }: Listening): Promise<void> {
  const startedAt = performance.now();
  const elapsed = (): number => Math.round(performance.now() - startedAt);
  let text = "";
  let toolCalls: readonly ToolCall[] = [];
  const heard = (change: Partial<Answer>): void => {
    const isFirst = text === "" && toolCalls.length === 0;
    tell({ ...change, state: "streaming", ...(isFirst && { firstMs: elapsed() }) });
  };
  try {
    const response = await ask({ path: "/v1/chat/completions", body, account, signal });
    tell({ requestId: receiptIdOf(response) });
    for await (const { choices, usage } of chunksOf(response)) {
      const { content, tool_calls: pieces = [] } = choices?.[0]?.delta ?? {};
      if (content) {
        heard({ text: text + content });
        text += content;
      }
      if (pieces?.length) {
        const calls = joined(toolCalls, pieces);
        heard({ toolCalls: calls });
        toolCalls = calls;
      }
      if (usage) tell({ usage: { input: usage.prompt_tokens, output: usage.completion_tokens } });
    }
    tell({ state: "done", tookMs: elapsed() });
  } catch (error) {
    if (signal.aborted) tell({ state: "stopped", tookMs: elapsed() });
    else tell({ state: "failed", tookMs: elapsed(), error: error instanceof Error ? error : new Error(String(error)) });
  }
}

/** A conversation with several models at once. */
export function useChat(models: readonly string[], settings: Settings) {
  const account = useAccountId();
  const [turns, dispatch] = useReducer(reduce, []);
  const aborting = useRef<AbortController>(undefined);
  const say = useCallback(
    (said: Said) => {
      const id = Date.now();
      const controller = new AbortController();
      aborting.current = controller;
      const answers = Object.fromEntries(models.map((model) => [model, waiting]));
      dispatch({ type: "said", turn: { id, said, answers } });
      for (const model of models)
        void listen({
          body: chatBody(model, turns, said, settings),
          account,
          signal: controller.signal,
          tell: (change) => dispatch({ type: "heard", id, model, change }),
        });
    },
    [models, settings, turns, account],
  );
  const stop = (): void => aborting.current?.abort();
  const clear = (): void => {
    stop();
    dispatch({ type: "cleared" });
  };
  const last = Object.values(turns.at(-1)?.answers ?? {});
  const busy = last.some(({ state }) => state === "waiting" || state === "streaming");
  return { turns, say, stop, clear, busy };
}
