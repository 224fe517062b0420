import { namespace } from "../fleet/install.ts";
import { nodeName } from "../node/settings.ts";
import { type Around, type Finding, seconds, underLoad } from "./under-load.ts";

const drainSeconds = 60;

/**
 * Drains the only node. Its pods have nowhere to go, so the disruption budgets must stop the drain
 * while the rest serves; then lets the evicted ones come back.
 */
export function drain(around: Around): Promise<Finding> {
  const { kubectl } = around;
  return underLoad(around, async () => {
    const args = [
      "--pod-selector=app.kubernetes.io/part-of=uag",
      "--delete-emptydir-data",
      `--timeout=${drainSeconds}s`,
    ];
    const { out, err } = await kubectl.ran(["drain", nodeName, ...args]);
    const evicted = (out.match(/^pod\/\S+ evicted/gm) ?? []).length;
    const refused = new Set(err.match(/(?<=error when evicting pods\/")[^"]+/g) ?? []).size;
    const { items } = await kubectl.get("--namespace", namespace, "pods");
    const running = items.filter((one: { status: { phase: string } }) => one.status.phase === "Running").length;
    await kubectl.run(["uncordon", nodeName]);
    const startedAt = performance.now();
    await kubectl.until(["--namespace", namespace, "wait", "--for=condition=Ready", "pods", "--all", "--timeout=5s"], {
      seconds: 300,
    });
    const back = `all ready again ${seconds(startedAt)} s after the node was`;
    return `${evicted} pods evicted in ${drainSeconds} s, ${refused} evictions refused, ${running} pods kept; ${back}`;
  });
}
