import { z } from "zod";
import { count, time } from "./admin-fields.ts";
import { model } from "./chat.ts";

const health = z
  .object({
    calls: count,
    failures: count.describe("Those that say something against the provider."),
    latency_ms: z
      .object({ count, p50: count, p95: count, p99: count })
      .nullable()
      .describe("To the answer, or its first bytes; null when no call succeeded."),
    resting: count.describe("How many processes do not ask it at present, as long as another can be asked."),
    rests_for_ms: z.number().min(0).describe("The longest of these."),
  })
  .describe("As the living processes saw it; what a process saw is gone with it.");

/** A model of the catalogue with its providers. */
export const catalogModel = model.extend({
  price_version: z.string(),
  providers: z
    .array(
      z.object({
        provider: z.string(),
        model: z.string().describe("The model's name there."),
        priority: z.int().describe("The lowest is asked first."),
        weight: z.number().describe("Its share among those of one priority."),
        last_hour: health,
      }),
    )
    .describe("In the order of the catalogue."),
});

/** The processes of the system. */
export const fleet = z.object({
  object: z.literal("fleet"),
  replicas: z
    .array(
      z.object({
        id: z.string().describe("One for each start of a process."),
        service: z.string(),
        version: z.string(),
        state: z.enum(["up", "silent"]).describe("`silent`: it has not been heard for 15 seconds."),
        started_at: time.nullable(),
        uptime_seconds: count,
        heard_ms_ago: count,
        figures: z.record(z.string(), z.number()).describe("Some of its metrics, by their names."),
      }),
    )
    .describe("Those heard of in the last ten minutes."),
  journals: z
    .object({
      bytes: z.number(),
      unconfirmed_events: z.number().describe("Usage that is published and not yet stored."),
      lag_seconds: z.number().describe("How long the oldest of it waits."),
      waiting: z.number().describe("Journals of dead processes that nobody has taken over yet."),
    })
    .describe("Usage on the disks of the services, over all of them."),
  stream: z.object({ messages: count.describe("Batches of usage that wait to be applied.") }).nullable(),
  unserved: z.array(z.string()).describe("Why providers of the catalogue are not served, a sentence each."),
  audit: z
    .object({
      at: time.nullable(),
      exact: z.boolean().describe("Every account, grant and row re-added to the nano-dollar."),
      rows: count,
      faults: z.array(z.string()),
    })
    .nullable()
    .describe("What the auditor found last; null before it ran."),
});
