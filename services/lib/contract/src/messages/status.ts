import { z } from "zod";
import { jsonMessage } from "./json-message.ts";
import { subjectFamily } from "./subject-family.ts";

/** Status of a process; the id in the subject is its service. */
export const statusSubjects = subjectFamily("status.v1");

/** How often each process publishes its status, milliseconds. */
export const statusEveryMs = 5_000;

const name = z.string().max(200);
const count = z.number().int().min(0);

/** One process's statistics of one upstream over the last hour. */
const upstreamStatus = z.object({
  provider: name,
  /** The provider's name for the model. */
  model: name,
  calls: count,
  failures: count,
  /**
   * Successful calls, by the time to their response or its first bytes: see `histogram.ts` of the
   * kit.
   */
  latency: z.array(count).max(64),
  /** How much longer it is avoided while another upstream is available, milliseconds. */
  rests_for_ms: z.number().min(0),
});

/** One process's requests to one upstream that cost more than was held for them, since its start. */
const aboveHoldStatus = z.object({
  provider: name,
  /** The catalogue's id of the model. */
  model: name,
  requests: count,
  /** The largest reported cost, as a multiple of the hold. */
  largest_ratio: z.number().min(0),
  last_at_ms: count,
});

/** How many accounts a process reports in `url_fetches`: those that have used most. */
export const maxFetchingAccounts = 200;

/** The use of one process's budget of fetched URLs. */
const urlFetchStatus = z.object({
  /** For each account. */
  per_hour: count,
  accounts: z.array(z.object({ account_id: name, used: count })).max(maxFetchingAccounts),
});

/** The payload on {@link statusSubjects}. */
export const processStatus = jsonMessage(
  z.object({
    /** Unique per start of a process. */
    id: name,
    version: name,
    started_at_ms: count,
    /** The process is about to stop. */
    leaving: z.boolean(),
    /** Figures for operators, by name. */
    figures: z.record(name, z.number()),
    /** Reported by services that call providers. */
    upstreams: z.array(upstreamStatus).max(2_000),
    /** Why providers of the catalogue are not served. */
    unserved: z.array(z.string().max(500)).max(200),
    /** Reported by services that bill requests; processes of earlier releases omit it. */
    above_hold: z.array(aboveHoldStatus).max(200).default([]),
    /** Reported by services that fetch URLs in requests. */
    url_fetches: urlFetchStatus.optional(),
  }),
);

/** The status that a process reports every few seconds. */
export type ProcessStatus = NonNullable<ReturnType<typeof processStatus.decode>>;
/** The statistics that a process reports about one model's upstream. */
export type UpstreamStatus = ProcessStatus["upstreams"][number];
/** What a process reports about costs above their holds at one model's upstream. */
export type AboveHoldStatus = ProcessStatus["above_hold"][number];
