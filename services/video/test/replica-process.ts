// A replica in a process of its own, to be killed: its parent tells it what to do, and it reports
// its progress.

import type { TaskAdmission } from "@uag/admission/types.ts";
import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import { order, startReplica } from "./support.ts";

/** What the parent sends once. */
export interface Begin {
  readonly at: { url: string; database: string };
  readonly provider: string;
  readonly requestId: string;
  /** Stops for good once the money was requested: the row is written, no provider was called. */
  readonly stopsAtHold: boolean;
}

const never = new Promise<never>(() => {});

function admissionOf({ stopsAtHold }: Begin): TaskAdmission {
  return {
    async admitTask(task) {
      process.send?.("held");
      if (stopsAtHold) await never;
      return `gr_${task.requestId}`;
    },
    async findTaskGrant() {
      throw new GatewayError("service_unavailable");
    },
    async settleTask() {
      throw new GatewayError("service_unavailable");
    },
  };
}

process.once("message", async (begin: Begin) => {
  const { at, provider, requestId } = begin;
  const replica = await startReplica({ at, books: { admission: admissionOf(begin) }, providers: [provider] });
  const response = await replica.call("videos.create", order(), { requestId });
  process.send?.(`answered ${response.status}`);
});
