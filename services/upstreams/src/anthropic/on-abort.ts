/** Closing a stream stops it, and its billing (https://openrouter.ai/docs/api-reference/streaming, "Stream Cancellation"). */
export const anthropicOnAbort = "stops";
