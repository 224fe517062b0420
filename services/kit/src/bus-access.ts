import { keyChangedSubject, limitRecallSubjects, recallSubjects } from "@uag/contract/messages/billing.ts";
import { undividedSubject } from "@uag/contract/messages/usage-subjects.ts";
import type { Peer } from "./rpc/access.ts";

export interface BusAccess {
  readonly publish: readonly string[];
  /** Besides the user's own inboxes, `_INBOX.<user>.>`. */
  readonly subscribe: readonly string[];
}

// Who hears a recall of limits answers into one of billing's inboxes.
const capability: BusAccess = {
  // The first is that of replicas of before there were partitions.
  publish: [undividedSubject(""), `${undividedSubject("")}.*`, "_INBOX.billing.>"],
  subscribe: [recallSubjects.all, limitRecallSubjects.all, keyChangedSubject],
};

/**
 * Who may publish and hear what on NATS. What is not in here nobody may. The streams are all
 * metering's.
 */
export const busAccess: Readonly<Record<Peer, BusAccess>> = {
  router: { publish: [], subscribe: [keyChangedSubject] },
  billing: { publish: [recallSubjects.all, limitRecallSubjects.all, keyChangedSubject], subscribe: [] },
  metering: { publish: ["$JS.API.>", "$JS.ACK.>", "usage.v1.dead"], subscribe: [] },
  // It reads the books and calls nobody.
  auditor: { publish: [], subscribe: [] },
  chat: capability,
  embedding: capability,
  media: capability,
  speech: capability,
  video: capability,
  console: { publish: [], subscribe: [] },
  operator: { publish: [">"], subscribe: [">"] },
};
