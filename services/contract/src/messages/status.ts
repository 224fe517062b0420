import { z } from "zod";
import { jsonMessage } from "./json-message.ts";
import { subjectFamily } from "./subject-family.ts";

/** How a process is; the id in the subject is the service that it is of. */
export const statusSubjects = subjectFamily("status.v1");

/** How often each process says how it is, milliseconds. */
export const statusEveryMs = 5_000;

const name = z.string().max(200);
const count = z.number().int().min(0);

/** What one process saw of one upstream in the last hour. */
const upstreamStatus = z.object({
  provider: name,
  /** The model's name there. */
  model: name,
  calls: count,
  failures: count,
  /**
   * Calls that succeeded, by how long they took to their answer or its first bytes: see
   * `histogram.ts` of the kit.
   */
  latency: z.array(count).max(64),
  /** It is not asked for so long, while another can be. */
  rests_for_ms: z.number().min(0),
});

/** The payload on {@link statusSubjects}. */
export const processStatus = jsonMessage(
  z.object({
    /** One for each start of a process. */
    id: name,
    version: name,
    started_at_ms: count,
    /** It is about to stop. */
    leaving: z.boolean(),
    /** What operators watch, by its name. */
    figures: z.record(name, z.number()),
    /** Of a service that calls providers. */
    upstreams: z.array(upstreamStatus).max(2_000),
    /** Why providers of the catalogue are not served. */
    unserved: z.array(z.string().max(500)).max(200),
  }),
);

/** What a process reports of itself every few seconds. */
export type ProcessStatus = NonNullable<ReturnType<typeof processStatus.decode>>;
/** What a process reports of one model's upstream. */
export type UpstreamStatus = ProcessStatus["upstreams"][number];
