import { setTimeout as sleep } from "node:timers/promises";
import { namespace } from "../fleet/install.ts";
import type { Kubectl } from "../node/kubectl.ts";
import { type Around, type Finding, seconds, underLoad } from "./under-load.ts";

const pod = "uag-chat-0";
/** Time before and after the action, so that requests are in flight and the journal is delivered. */
const restMs = 5_000;

async function ready(kubectl: Kubectl): Promise<void> {
  const wait = ["--namespace", namespace, "wait", "--for=condition=Ready", `pod/${pod}`, "--timeout=5s"];
  await kubectl.until(wait, { seconds: 240 });
}

/** Deletes a pod without a stop: the one that gets its volume delivers its journal. */
export function kill(around: Around): Promise<Finding> {
  const { kubectl } = around;
  const action = async (): Promise<string> => {
    await sleep(restMs);
    const startedAt = performance.now();
    await kubectl.run(["--namespace", namespace, "delete", "pod", pod, "--force", "--grace-period=0"]);
    await ready(kubectl);
    const back = seconds(startedAt);
    await sleep(restMs);
    return `${pod} deleted with --force, ready again with its volume after ${back} s`;
  };
  return underLoad(around, action, { mayFail: true });
}

/** Fills a container's memory with processes smaller than the service, which the kernel then ends. */
const fill = `
  const { spawn } = require("node:child_process");
  const keep = "globalThis.kept = Buffer.alloc(50e6, 1); setTimeout(() => {}, 60_000)";
  let left = 20;
  const timer = setInterval(() => {
    spawn(process.execPath, ["--eval", keep], { stdio: "ignore" });
    if (--left === 0) clearInterval(timer);
  }, 250);
`;

interface Status {
  readonly restartCount: number;
  readonly lastState: { readonly terminated?: { readonly reason: string } };
}

async function statusOf(kubectl: Kubectl): Promise<Status> {
  const { status } = await kubectl.get("--namespace", namespace, "pod", pod);
  return status.containerStatuses[0] as Status;
}

/** Has the kernel end a container at its memory limit. */
export function oom(around: Around): Promise<Finding> {
  const { kubectl } = around;
  const action = async (): Promise<string> => {
    const before = await statusOf(kubectl);
    const startedAt = performance.now();
    const filling = kubectl.ran(["--namespace", namespace, "exec", pod, "--", "node", "--eval", fill]);
    for (const deadline = performance.now() + 120_000; ; await sleep(500)) {
      if ((await statusOf(kubectl)).restartCount > before.restartCount) break;
      if (performance.now() > deadline) throw new Error(`${pod} was not ended`);
    }
    await filling;
    await ready(kubectl);
    const { lastState } = await statusOf(kubectl);
    await sleep(restMs);
    return `${pod} ended with ${lastState.terminated?.reason} at its limit, ready again after ${seconds(startedAt)} s`;
  };
  return underLoad(around, action, { mayFail: true });
}
