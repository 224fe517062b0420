import { z } from "zod";
import { jsonMessage } from "./json-message.ts";
import { subjectFamily } from "./subject-family.ts";

/** Status of a process; the id in the subject is its service. */
export const statusSubjects = subjectFamily("status.v1");

/** How often each process publishes its status, milliseconds. */
export const statusEveryMs = 5_000;

const name = z.string().max(200);
const count = z.number().int().min(0);

/** States of an upstream's circuit breaker, the best first. */
export const circuitStates = ["closed", "half_open", "open"] as const;

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
  /** Absent from processes of an earlier release. */
  circuit: z.enum(circuitStates).optional(),
  /** Set while the provider rejects the gateway's key or account. */
  rejection: z.enum(["operator", "quota"]).optional(),
});

/** One process's statistics of a credential that new requests may use. */
const credentialStatus = z.object({
  provider: name,
  /** Empty for the only key of the catalogue's file. */
  id: name,
  /** Its name, or such as `sk-...abcd`; empty if the provider is called without one. */
  name,
  weight: z.number().positive(),
  priority: count,
  /** The account at the provider; empty: one of its own. */
  account: name,
  /** How much longer it is avoided while another is available, milliseconds. */
  rests_for_ms: z.number().min(0),
  /** Set while the provider rejects it, or has no credit left for its account. */
  rejection: z.enum(["operator", "quota"]).optional(),
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
    /** Reported by services that call providers; processes of earlier releases omit it. */
    catalog: z
      .object({
        /** Number of the operators' changes that are in force. */
        overlay_version: count,
        /** Providers that the simulator replaces. */
        simulated: z.array(name).max(200),
        /** Processes of earlier releases omit it. */
        credentials: z.array(credentialStatus).max(2_000).default([]),
      })
      .optional(),
    /** Reported by services that bill requests; processes of earlier releases omit it. */
    above_hold: z.array(aboveHoldStatus).max(200).default([]),
  }),
);

/** The status that a process reports every few seconds. */
export type ProcessStatus = NonNullable<ReturnType<typeof processStatus.decode>>;
/** The statistics that a process reports about one model's upstream. */
export type UpstreamStatus = ProcessStatus["upstreams"][number];
/** The state of a credential that a process reports. */
export type CredentialStatus = NonNullable<ProcessStatus["catalog"]>["credentials"][number];
/** What a process reports about costs above their holds at one model's upstream. */
export type AboveHoldStatus = ProcessStatus["above_hold"][number];
