import { useCallback, useReducer, useRef } from "react";
import { useAccountId } from "../../shell/account.ts";
import { ask, chunksOf } from "./gateway.ts";

export interface Settings {
  readonly system: string;
  readonly temperature: number | "";
  readonly maxTokens: number | "";
}

export interface Answer {
  readonly text: string;
  readonly state: "waiting" | "streaming" | "done" | "stopped" | "failed";
  /** Milliseconds from sending to the first words, and to the end. */
  readonly firstMs: number | null;
  readonly tookMs: number | null;
  readonly usage: { readonly input: number; readonly output: number } | null;
  readonly requestId: string | null;
  readonly error: Error | null;
}

/** What the user said, and what each model answered. */
export interface Turn {
  readonly id: number;
  readonly message: string;
  readonly answers: Readonly<Record<string, Answer>>;
}

type Action =
  | { readonly type: "said"; readonly turn: Turn }
  | { readonly type: "heard"; readonly id: number; readonly model: string; readonly change: Partial<Answer> }
  | { readonly type: "cleared" };

const waiting: Answer = {
  text: "",
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

/** The request for one model's next answer: it sees its own conversation, not the others'. */
export function chatBody(model: string, turns: readonly Turn[], message: string, settings: Settings): object {
  const history = turns.flatMap(({ message: said, answers }) => {
    const text = answers[model]?.text;
    const user = { role: "user", content: said };
    return text ? [user, { role: "assistant", content: text }] : [user];
  });
  const system = settings.system === "" ? [] : [{ role: "system", content: settings.system }];
  return {
    model,
    messages: [...system, ...history, { role: "user", content: message }],
    ...(settings.temperature !== "" && { temperature: settings.temperature }),
    ...(settings.maxTokens !== "" && { max_completion_tokens: settings.maxTokens }),
    stream: true,
    stream_options: { include_usage: true },
  };
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
  try {
    const response = await ask({ path: "/v1/chat/completions", body, account, signal });
    tell({ requestId: response.headers.get("x-request-id") });
    for await (const { choices, usage } of chunksOf(response)) {
      const part = choices?.[0]?.delta?.content ?? "";
      if (part !== "") {
        const first = text === "" ? { firstMs: elapsed() } : {};
        text += part;
        tell({ text, state: "streaming", ...first });
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
    (message: string) => {
      const id = Date.now();
      const controller = new AbortController();
      aborting.current = controller;
      const answers = Object.fromEntries(models.map((model) => [model, waiting]));
      dispatch({ type: "said", turn: { id, message, answers } });
      for (const model of models)
        void listen({
          body: chatBody(model, turns, message, settings),
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
