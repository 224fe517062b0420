import { z } from "zod";

/** `model` of requests for conversations. */
export const modelId = z.string().min(1).max(256);

/** Maximum messages of a conversation; more than any context window holds. */
export const maxMessages = 10_000;

/** Maximum content parts, and tool calls, of one message. */
export const maxParts = 10_000;

/** Maximum tools of one request. */
export const maxTools = 1_000;
