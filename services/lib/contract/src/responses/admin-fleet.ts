import { z } from "zod";
import { circuitStates } from "../messages/status.ts";
import { modelFallbacks, routingStrategy } from "../requests/admin-models.ts";
import { count, time } from "./admin-fields.ts";
import { model } from "./chat.ts";

const health = z
  .object({
    calls: count,
    failures: count.describe("Failures that the provider caused."),
    latency_ms: z
      .object({ count, p50: count, p95: count, p99: count })
      .nullable()
      .describe("Time to the response, or to a stream's first bytes; null if no call succeeded."),
    resting: count.describe(
      "The number of processes in which the provider is cooling down. They use it only if no other is available.",
    ),
    circuit: z
      .enum(circuitStates)
      .describe(
        "The worst state of its circuit breaker in a process. `open`: at least half of its recent calls failed, and it is only used if no other is available. `half_open`: a few calls find out whether it works again.",
      ),
    rejection: z
      .enum(["operator", "quota"])
      .nullable()
      .describe(
        "Set from the moment that the provider rejects the gateway's API key or account (`operator`), or has no credit left for it (`quota`), until a call succeeds.",
      ),
    rests_for_ms: z.number().min(0).describe("The longest remaining cooldown among them, milliseconds."),
  })
  .describe("As observed by the running processes; a process's figures end with it.");

/** A model of the catalogue with its providers. */
export const catalogModel = model.extend({
  price_version: z.string(),
  enabled: z.boolean().describe("A disabled model gets no new requests."),
  source: z.enum(["file", "runtime"]).describe("The catalogue's file has it, or it was added over this API."),
  changed: z.array(z.string()).describe("Fields of the file's model that were changed over this API."),
  revision: count.describe("Number of changes over this API."),
  strategy: routingStrategy,
  fallbacks: modelFallbacks,
  providers: z
    .array(
      z.object({
        provider: z.string(),
        model: z.string().describe("The provider's name for the model."),
        priority: z.int().describe("The lowest number is used first."),
        weight: z.number().describe("The share of requests among upstreams of the same priority."),
        cost: z
          .record(z.string(), z.unknown())
          .nullable()
          .describe(
            "What the operator pays there, USD in the units of the model's price; null: the model's price, or the token is limited to one account.",
          ),
        last_hour: health,
      }),
    )
    .describe("In catalogue order."),
});

/** The processes of the system. */
export const fleet = z.object({
  object: z.literal("fleet"),
  replicas: z
    .array(
      z.object({
        id: z.string().describe("Unique for each start of a process."),
        service: z.string(),
        version: z.string(),
        state: z.enum(["up", "silent"]).describe("`silent`: no report for 15 seconds."),
        started_at: time.nullable(),
        uptime_seconds: count,
        heard_ms_ago: count,
        figures: z.record(z.string(), z.number()).describe("Selected metrics of the process, by name."),
      }),
    )
    .describe("Processes that reported in the last ten minutes."),
  journals: z
    .object({
      bytes: z.number(),
      unconfirmed_events: z.number().describe("Usage events that metering has not confirmed."),
      lag_seconds: z.number().describe("The age of the oldest unconfirmed event."),
      waiting: z.number().describe("Journals of dead processes that have not been adopted."),
    })
    .describe("Usage in the journals of all services."),
  stream: z.object({ messages: count.describe("Usage batches that metering has not applied.") }).nullable(),
  unserved: z.array(z.string()).describe("The reasons why catalogue providers are not served, one sentence each."),
  above_hold: z
    .array(
      z.object({
        provider: z.string(),
        model: z.string().describe("The catalogue's id of the model."),
        requests: count,
        largest_ratio: z.number().describe("The largest reported cost, as a multiple of the hold."),
        last_at: time.nullable(),
      }),
    )
    .describe(
      "Requests that cost more than was held for them, since the running processes started. Beyond ten times the hold, the hold is charged and the request waits for a price.",
    ),
  audit: z
    .object({
      at: time.nullable(),
      exact: z.boolean().describe("Whether every account, grant and row adds up to the nano-dollar."),
      rows: count,
      faults: z.array(z.string()),
    })
    .nullable()
    .describe("The auditor's last result; null before its first run."),
});
