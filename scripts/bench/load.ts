/**
 * The load generator, which runs in its own process: it takes one job at a time from its parent and
 * returns the measurements.
 */
import { endWithParent, reportToParent } from "./child.ts";
import { type JsonResult, type RequestSchedule, runClosedLoop, runConstantRate } from "./load-json.ts";
import { runStreams, type StreamsJob, type StreamsResult } from "./load-streams.ts";

export type Job =
  | ({
      readonly kind: "closed";
      readonly connections: number;
      readonly seconds: number;
      readonly requests?: number;
    } & RequestSchedule)
  | ({ readonly kind: "rate"; readonly perSecond: number; readonly seconds: number } & RequestSchedule)
  | ({ readonly kind: "streams" } & Omit<StreamsJob, "phase">);

export type LoadMessage =
  | { readonly kind: "ready" }
  | { readonly kind: "phase"; readonly phase: "all-open" | "closing" }
  | { readonly kind: "json"; readonly result: JsonResult }
  | { readonly kind: "streams"; readonly result: StreamsResult }
  | { readonly kind: "failed"; readonly reason: string };

function print(message: LoadMessage): void {
  reportToParent(message);
}

async function run(job: Job): Promise<LoadMessage> {
  switch (job.kind) {
    case "closed":
      return { kind: "json", result: await runClosedLoop(job) };
    case "rate":
      return { kind: "json", result: await runConstantRate(job) };
    case "streams":
      return {
        kind: "streams",
        result: await runStreams({ ...job, phase: (phase) => print({ kind: "phase", phase }) }),
      };
  }
}

endWithParent(() => process.exit(0));
process.on("message", (job: Job) => {
  run(job).then(print, (error: Error) => print({ kind: "failed", reason: error.message }));
});
print({ kind: "ready" });
