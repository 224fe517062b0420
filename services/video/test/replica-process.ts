// A replica in a process of its own, to be killed: its parent controls it, and it reports its
// progress.

import { replica as admissionReplica } from "@uag/harness/replica";
import { Caller } from "@uag/proto/common/v1/caller.ts";
import type { TaskAdmission } from "@uag/usage/types";
import { order, startReplica } from "./support.ts";

/** Where the process stops permanently, if it stops on its own. */
export type Stop = "before the hold" | "after the hold" | "never";

/** What the parent sends once. */
export interface Begin {
  readonly at: { url: string; database: string };
  readonly provider: string;
  readonly requestId: string;
  /** The settings of a replica's admission; see `Backend.env`. */
  readonly backend: Record<string, string>;
  /** Encoded in base64. */
  readonly caller: string;
  readonly stop: Stop;
}

const never = new Promise<never>(() => {});

async function stopFor(stop: Stop, at: Stop): Promise<void> {
  if (stop !== at) return;
  process.send?.("stopped");
  await never;
}

function stoppingAdmission(admission: TaskAdmission, { stop }: Begin): TaskAdmission {
  return {
    async admitTask(task) {
      await stopFor(stop, "before the hold");
      const grant = await admission.admitTask(task);
      await stopFor(stop, "after the hold");
      return grant;
    },
    findTaskGrant: (task) => admission.findTaskGrant(task),
    settleTask: (event) => admission.settleTask(event),
  };
}

process.once("message", async (begin: Begin) => {
  const { at, provider, requestId, backend } = begin;
  const admission = stoppingAdmission(await admissionReplica(backend), begin);
  // On a busy machine connecting takes longer than the tests' usual timeout; this process is killed in any case.
  const env = { CREATE_TIMEOUT_MS: "2000" };
  const replica = await startReplica({ at, books: { admission }, providers: [provider], env });
  const caller = Caller.decode(Buffer.from(begin.caller, "base64"));
  const response = await replica.call("videos.generations", order(), { requestId, caller });
  process.send?.(`answered ${response.status}`);
});
