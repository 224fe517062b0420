/** Google goes on to the end, and bills it (https://openrouter.ai/docs/api-reference/streaming, "Stream Cancellation"). */
export const geminiOnAbort = "continues";
