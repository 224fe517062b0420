import { connectBus } from "@uag/runtime/bus";
import { createLogger } from "@uag/runtime/log";
import { createMetrics } from "@uag/runtime/metrics";
import { insecure } from "@uag/runtime/rpc/identity";
import { createAdmission } from "@uag/usage/admission";
import type { AdmissionOptions } from "@uag/usage/options";
import type { AdmissionOfProcess } from "@uag/usage/types";

/** A replica's admission in this process, with a {@link Backend}'s settings. */
export async function replica(
  env: Record<string, string>,
  more: Partial<AdmissionOptions> = {},
): Promise<AdmissionOfProcess & { text(): Promise<string> }> {
  const log = createLogger({ service: "replica", level: process.env["TEST_VERBOSE"] ? "debug" : "silent" });
  const bus = await connectBus({ settings: { NATS_URL: env["NATS"] as string }, name: "replica", log });
  const metrics = createMetrics("replica");
  const admission = await createAdmission({
    identity: insecure,
    service: "test",
    billing: { address: env["BILLING"] as string },
    metering: { address: env["METERING"] as string },
    bus,
    journalDir: env["JOURNAL_DIR"] as string,
    streamPrefix: env["STREAM_PREFIX"] as string,
    log,
    metrics,
    ...more,
  });
  return {
    admit: (request) => admission.admit(request),
    admitFree: (request) => admission.admitFree(request),
    admitTask: (task) => admission.admitTask(task),
    findTaskGrant: (task) => admission.findTaskGrant(task),
    settleTask: (event) => admission.settleTask(event),
    check: admission.check,
    alive: admission.alive,
    text: () => metrics.registry.metrics(),
    async [Symbol.asyncDispose]() {
      await admission[Symbol.asyncDispose]();
      await bus[Symbol.asyncDispose]();
    },
  };
}
