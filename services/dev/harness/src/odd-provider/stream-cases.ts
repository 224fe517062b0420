import { complete, events, type OddCase, retried, send, unusable, type Wire } from "./case.ts";
import { chunk, httpBytes, type OddResponse } from "./server.ts";

const broken = { calls: 1, client: "broken" } as const;
const firstOf = (wire: Wire): string => wire.events?.(wire.usage)[0] ?? "";
const streamed =
  (body: (wire: Wire) => string) =>
  (wire: Wire): OddResponse =>
    send("200 OK", events, body(wire));

/**
 * For a stream of two events: the client receives output after the first, the second ends it. A
 * protocol whose first event reports usage is charged by that in place of an estimate.
 */
export const streamCases: readonly OddCase[] = (
  [
    { name: "no end", respond: streamed(firstOf), ...broken, bill: "estimate" },
    {
      name: "an event that is not JSON",
      respond: streamed((wire) => `${firstOf(wire)}data: not json\n\n`),
      ...broken,
      bill: "estimate",
    },
    {
      name: "a reset after the first event",
      respond: (wire) => ({
        pieces: [httpBytes("200 OK", { ...events, "transfer-encoding": "chunked" }, ""), chunk(firstOf(wire))],
        pauseMs: 20,
        end: "reset",
      }),
      ...broken,
      bill: "estimate",
    },
    {
      name: "an error event with usage",
      respond: streamed((wire) => `${firstOf(wire)}event: error\ndata: ${wire.error({ usage: wire.usage })}\n\n`),
      ...broken,
      bill: "usage",
    },
    { name: "a first event that is not JSON", respond: streamed(() => "data: not json\n\n"), ...unusable },
    { name: "a stream of comments", respond: streamed(() => ": ping\n\n"), ...retried },
    {
      name: "its end twice",
      respond: streamed((wire) => {
        const [first, last] = wire.events?.(wire.usage) ?? [];
        return `${first}${last}${last}`;
      }),
      ...complete,
    },
  ] satisfies Omit<OddCase, "kind">[]
).map((odd) => ({ ...odd, kind: "stream" }));
