/**
 * How our HTTP servers keep idle connections, milliseconds. The first is promised to clients
 * (`keep-alive: timeout=15`), which close in time by it; a stopping server waits no longer than
 * that. Connections are kept for the second in any case: balancers ignore the promise and must be
 * the first to close, after up to 60 s.
 */
export const keepAlive = { keepAliveTimeout: 15_000, keepAliveTimeoutBuffer: 60_000 } as const;
