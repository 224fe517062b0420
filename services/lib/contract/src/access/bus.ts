import {
  budgetChangedSubject,
  catalogChangedSubject,
  keyChangedSubject,
  limitRecallSubjects,
  recallSubjects,
} from "../messages/billing.ts";
import { refusalSubjects } from "../messages/refusals.ts";
import { statusSubjects } from "../messages/status.ts";
import { usageAppliedSubject } from "../messages/usage-applied.ts";
import { undividedSubject } from "../messages/usage-subjects.ts";
import { type ServiceName, serviceNames } from "../routes.ts";
import type { Peer } from "./rpc.ts";

/** The NATS subjects that one service may use; the broker refuses any other. */
export interface BusAccess {
  readonly publish: readonly string[];
  /** In addition to the user's own inboxes, `_INBOX.<user>.>`. */
  readonly subscribe: readonly string[];
}

// Responses to a recall of limits go into one of billing's inboxes.
const capability = (peer: Peer): BusAccess => ({
  // The first subject is used by replicas older than partitioning.
  publish: [
    undividedSubject(""),
    `${undividedSubject("")}.*`,
    "_INBOX.billing.>",
    statusSubjects.of(peer),
    refusalSubjects.of(peer),
  ],
  subscribe: [
    recallSubjects.all,
    limitRecallSubjects.all,
    keyChangedSubject,
    budgetChangedSubject,
    catalogChangedSubject,
  ],
});

const capabilities = Object.fromEntries(serviceNames.map((name) => [name, capability(name)])) as Record<
  ServiceName,
  BusAccess
>;

/**
 * Who may publish and subscribe to what on NATS; anything not listed is forbidden. All streams
 * belong to metering.
 */
export const busAccess: Readonly<Record<Peer, BusAccess>> = {
  router: {
    publish: [statusSubjects.of("router"), refusalSubjects.of("router")],
    subscribe: [keyChangedSubject, budgetChangedSubject, statusSubjects.all],
  },
  billing: {
    publish: [
      recallSubjects.all,
      limitRecallSubjects.all,
      keyChangedSubject,
      budgetChangedSubject,
      catalogChangedSubject,
      statusSubjects.of("billing"),
    ],
    subscribe: [],
  },
  metering: {
    publish: ["$JS.API.>", "$JS.ACK.>", "usage.v1.dead", usageAppliedSubject, statusSubjects.of("metering")],
    subscribe: [refusalSubjects.all],
  },
  // It reads the books and calls no service.
  auditor: { publish: [], subscribe: [] },
  notifications: { publish: [statusSubjects.of("notifications")], subscribe: [] },
  ...capabilities,
  console: { publish: [statusSubjects.of("console")], subscribe: [usageAppliedSubject, keyChangedSubject] },
  operator: { publish: [">"], subscribe: [">"] },
};
