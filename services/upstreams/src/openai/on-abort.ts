// All three by https://openrouter.ai/docs/api-reference/streaming, "Stream Cancellation": it lists who stops a
// stream, and its billing, when the connection is closed.

export const openAiOnAbort = "stops";
export const xaiOnAbort = "stops";
/** Alibaba goes on to the end, and bills it. */
export const dashScopeOnAbort = "continues";
