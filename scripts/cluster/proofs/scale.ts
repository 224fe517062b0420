import { waitFor } from "@uag/harness/testing/wait-for";
import { namespace } from "../fleet/install.ts";
import { type Around, type Finding, seconds, underLoad } from "./under-load.ts";

const replicas = { min: 2, max: 4 };
/** Percent of a core: above what an idle process uses, far below what this load needs. */
const target = 5;
const upSeconds = 300;
/** The chart waits five minutes before it removes a pod, and a minute between two. */
const downSeconds = 900;

/** Waits until chat has so many ready pods. @returns the seconds that it took */
async function until({ kubectl }: Around, wanted: number, limitSeconds: number): Promise<string> {
  const startedAt = performance.now();
  const isReady = async (): Promise<boolean> => {
    const { status } = await kubectl.get("--namespace", namespace, "statefulset", "uag-chat");
    return (status.readyReplicas ?? 0) === wanted;
  };
  await waitFor(isReady, { timeoutMs: limitSeconds * 1_000, everyMs: 2_000, what: `${wanted} ready pods of chat` });
  return seconds(startedAt);
}

/** Has a HorizontalPodAutoscaler add pods of chat under load, and remove them under less. */
export async function scale(around: Around): Promise<Finding> {
  const { min: minReplicas, max: maxReplicas } = replicas;
  await around.release.upgrade({ chat: { autoscaling: { enabled: true, cpu: target, minReplicas, maxReplicas } } });
  const up = await underLoad(
    around,
    async () =>
      `HorizontalPodAutoscaler: ${maxReplicas} pods of chat after ${await until(around, maxReplicas, upSeconds)} s`,
    { concurrency: 16 },
  );
  const down = await underLoad(
    around,
    async () => `${minReplicas} after ${await until(around, minReplicas, downSeconds)} s of less load`,
    { concurrency: 1 },
  );
  await around.release.upgrade();
  return { figures: `${up.figures}; ${down.figures}`, problems: [...up.problems, ...down.problems] };
}
