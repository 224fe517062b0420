import { namespace } from "../fleet/install.ts";
import { type Around, type Finding, seconds, underLoad } from "./under-load.ts";

/**
 * Deletes a pod and its claim at once, and waits until its replacement is ready. The new claim gets
 * another volume, because the old one is not released.
 */
async function lose({ kubectl }: Around, pod: string, claim: string): Promise<string> {
  const { spec } = await kubectl.get("--namespace", namespace, "persistentvolumeclaim", claim);
  const startedAt = performance.now();
  await kubectl.run(["--namespace", namespace, "delete", "persistentvolumeclaim", claim, "--wait=false"]);
  await kubectl.run(["--namespace", namespace, "delete", "pod", pod, "--force", "--grace-period=0"]);
  const wait = ["--namespace", namespace, "wait", "--for=condition=Ready", `pod/${pod}`, "--timeout=5s"];
  await kubectl.until(wait, { seconds: 300 });
  const { spec: replaced } = await kubectl.get("--namespace", namespace, "persistentvolumeclaim", claim);
  if (replaced.volumeName === spec.volumeName) throw new Error(`${pod} has the volume ${spec.volumeName} again`);
  return `${pod} ready on an empty volume after ${seconds(startedAt)} s`;
}

/** Takes the volume of one member of MongoDB, then of NATS: no bill may depend on a single volume. */
const engines = (around: Around): Promise<Finding> =>
  underLoad(
    around,
    async () =>
      `${await lose(around, "uag-mongodb-0", "data-uag-mongodb-0")}, ${await lose(around, "uag-nats-0", "data-uag-nats-0")}`,
    { mayFail: true },
  );

/** Takes the volume of a journal, with the usage that metering had not confirmed. */
const journal = (around: Around): Promise<Finding> =>
  underLoad(around, () => lose(around, "uag-chat-0", "journal-uag-chat-0"), { mayFail: true, mayLose: true });

export async function volume(around: Around): Promise<Finding> {
  const findings = [await engines(around), await journal(around)];
  return {
    figures: findings.map(({ figures }) => figures).join("; "),
    problems: findings.flatMap(({ problems }) => problems),
  };
}
