import type { Query, QueryClient } from "@tanstack/react-query";
import { urlOf } from "./http.ts";

/** What the server says may have changed, and the queries that show it. */
const shows = {
  usage: ["usage", "video", "deliveries", "key"],
  balance: ["billing", "accounts"],
  key: ["keys", "key"],
} as const;
type HintType = keyof typeof shows;

const everything = Object.keys(shows) as HintType[];
/** Shortest time between two rounds of fetching, however much happens meanwhile. */
const pauseMs = 3_000;
/** A response that is not a stream ends an EventSource permanently, so a new one is opened. */
const reconnectMs = 5_000;

const hintTypeOf = (data: string): HintType | undefined => {
  const { type } = JSON.parse(data) as { type?: string };
  return everything.find((known) => known === type);
};

/** Fetches again what is shown of the given types, at once or when the pause is over. */
function createRefresh(client: QueryClient) {
  const due = new Set<HintType>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  // The page has just fetched what it shows, and is busy with that.
  let lastAt = performance.now();
  const run = (): void => {
    timer = undefined;
    lastAt = performance.now();
    const names: readonly string[] = [...due].flatMap((type) => shows[type]);
    due.clear();
    const isDue = ({ queryKey: [name], meta }: Query): boolean =>
      names.includes(name as string) && meta?.["ignoresHints"] !== true;
    void client.invalidateQueries({ predicate: isDue });
  };
  const refresh = (types: readonly HintType[]): void => {
    for (const type of types) due.add(type);
    timer ??= setTimeout(run, Math.max(0, lastAt + pauseMs - performance.now()));
  };
  return { refresh, stop: () => clearTimeout(timer) };
}

/**
 * Refetches the shown data whenever the server hints that it has changed. A hidden page does not
 * listen, because browsers open few connections to a host for all its pages together.
 * @returns a function that ends it
 */
export function listenForHints(client: QueryClient): () => void {
  const { refresh, stop } = createRefresh(client);
  let source: EventSource | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  const close = (): void => {
    clearTimeout(retry);
    source?.close();
    source = undefined;
  };
  const open = (): void => {
    close();
    if (document.hidden) return;
    const opened = new EventSource(urlOf("/events"));
    source = opened;
    opened.onopen = () => {
      // Hints before the opening are lost, including those after the first responses.
      refresh(everything);
    };
    opened.onmessage = ({ data }: MessageEvent<string>) => {
      const type = hintTypeOf(data);
      if (type !== undefined) refresh([type]);
    };
    opened.onerror = () => {
      if (opened.readyState === EventSource.CLOSED) retry = setTimeout(open, reconnectMs);
    };
  };
  document.addEventListener("visibilitychange", open);
  open();
  return () => {
    document.removeEventListener("visibilitychange", open);
    close();
    stop();
  };
}
