import { rowsOf } from "./row.ts";

const chat = rowsOf("chat", "service");

/** Metrics of responses in the background. */
export const backgroundMetrics = {
  uag_background_responses_created_total: chat.counter("Responses in the background created."),
  uag_background_responses_ended_total: chat.counter("Responses in the background that have ended, by status.", {
    status: ["completed", "failed", "cancelled"],
  }),
} as const;
