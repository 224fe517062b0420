import { setTimeout as sleep } from "node:timers/promises";
import { namespace } from "../fleet/install.ts";
import { type Around, type Finding, seconds, underLoad } from "./under-load.ts";

const replicas = { min: 2, max: 4 };
/** Percent of a core: above what an idle process uses, far below what this load needs. */
const target = 5;
const upSeconds = 300;
/** The chart waits five minutes before it removes a pod, and a minute between two. */
const downSeconds = 900;

async function ready({ kubectl }: Around): Promise<number> {
  const { status } = await kubectl.get("--namespace", namespace, "statefulset", "uag-chat");
  return status.readyReplicas ?? 0;
}

async function until(around: Around, wanted: number, limitSeconds: number): Promise<string> {
  const startedAt = performance.now();
  for (;;) {
    const now = await ready(around);
    if (now === wanted) return seconds(startedAt);
    if (performance.now() - startedAt > limitSeconds * 1_000)
      throw new Error(`chat has ${now} ready pods instead of ${wanted} after ${limitSeconds} s`);
    await sleep(2_000);
  }
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
