import { z } from "zod";
import { taskStatuses } from "../responses/media.ts";

const id = z.string();

/** Query of `GET /v1/audio/voices`. */
export const voiceListQuery = z.object({
  model: id.optional().describe("Only voices of this model."),
});

const maxModels = 1_000;

/**
 * Query of `GET /v1/models`. An invalid limit counts as absent and one that is too large as the
 * maximum: clients of OpenAI's list and of Anthropic's come here, each with limits of its own.
 */
export const modelListQuery = z.object({
  limit: z.coerce
    .number()
    .min(1)
    .overwrite((rows) => Math.min(Math.floor(rows), maxModels))
    .int()
    .max(maxModels)
    .optional()
    .catch(undefined)
    .describe("Maximum models per page; all by default."),
  after_id: id.optional(),
  before_id: id.optional(),
});

const maxTasks = 100;
const wrongLimit = `must be a whole number from 1 to ${maxTasks}`;
const taskCursor = z.string().regex(/^[A-Za-z0-9_-]{1,100}$/, "must be the next_cursor of a previous page");

/** Query of `GET /v1/videos/generations`. */
export const videoListQuery = z.object({
  limit: z.coerce
    .number(wrongLimit)
    .int(wrongLimit)
    .min(1, wrongLimit)
    .max(maxTasks, wrongLimit)
    .default(20)
    .describe("Maximum tasks per page."),
  cursor: taskCursor.optional().describe("`next_cursor` of the previous page."),
  after: taskCursor.optional().describe("The same as `cursor`."),
  status: z.enum(taskStatuses, `must be one of ${taskStatuses.join(", ")}`).optional(),
  model: id.optional(),
});

const maxItems = 100;
const wrongItems = `must be a whole number from 1 to ${maxItems}`;

const wrongEvent = "must be the sequence_number of an event";

/** Query of `GET /v1/responses/{id}`. */
export const responseQuery = z.object({
  stream: z
    .enum(["true", "false"], "must be true or false")
    .optional()
    .describe(
      "`true`: sends the events of a response that was created with `background` and `stream`, and those to come.",
    ),
  starting_after: z.coerce
    .number(wrongEvent)
    .int(wrongEvent)
    .min(0, wrongEvent)
    .optional()
    .describe("With `stream`: only events whose `sequence_number` is greater."),
});

/** Query of `GET /v1/responses/{id}/input_items` (OpenAI's reference, list input items). */
export const inputItemsQuery = z.object({
  limit: z.coerce
    .number(wrongItems)
    .int(wrongItems)
    .min(1, wrongItems)
    .max(maxItems, wrongItems)
    .default(20)
    .describe("Maximum items per page."),
  order: z.enum(["asc", "desc"], "must be asc or desc").default("desc").describe("`desc`: the last item first."),
  after: id.optional().describe("The id of the last item of the previous page."),
});
