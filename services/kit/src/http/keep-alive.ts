/**
 * How long an HTTP service behind the router keeps a connection at rest, milliseconds. Longer than
 * the router does: whoever closes first must be the one who sends, or a request meets a connection
 * that is being closed and fails.
 */
export const serviceKeepAliveMs = 75_000;

/** How long the router keeps one of these connections at rest, milliseconds. */
export const routerKeepAliveMs = 30_000;
