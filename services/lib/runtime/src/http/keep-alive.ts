/**
 * How our HTTP servers keep idle connections, milliseconds. The first is promised to clients
 * (`keep-alive: timeout=15`), who close in time by it; a server that stops waits no longer than
 * that. The connection is kept for the second besides: balancers read no promise, and have to be
 * the first to close, after up to 60 s.
 */
export const keepAlive = { keepAliveTimeout: 15_000, keepAliveTimeoutBuffer: 60_000 } as const;
