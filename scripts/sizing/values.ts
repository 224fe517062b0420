import type { Demand, Plan } from "./plan.ts";

const gibi = 1024 ** 3;
/** Disks that are full stop a service. */
const usedShare = 0.8;
const daysPerMonth = 365 / 12;

const millicores = (cores: number): string => `${Math.max(10, Math.ceil(cores * 1_000))}m`;
const gibibytes = (bytes: number, least: number): number => Math.max(least, Math.ceil(bytes / gibi));

/** Values of the fleet's chart for a plan; what they leave out is as in the charts. */
export function valuesOf(plan: Plan, { retentionDays, utilization }: Demand): Record<string, object> {
  const services = plan.services.map(({ name, cores, pods, mibPerPod }) => {
    const requests = { cpu: millicores(cores / pods), memory: `${Math.ceil(mibPerPod)}Mi` };
    return [name, { replicaCount: pods, resources: { requests } }] as const;
  });
  const byName: Record<string, object> = Object.fromEntries(services);
  // The defaults of the charts are the least.
  const stream = gibibytes(plan.jetstreamBytes, 4);
  const store = Math.max(16, Math.ceil(stream / usedShare));
  return {
    ...byName,
    metering: {
      ...byName["metering"],
      settings: {
        STREAM_MAX_BYTES: `${stream * gibi}`,
        USAGE_KEEP_MONTHS: `${Math.max(1, Math.ceil(retentionDays / daysPerMonth))}`,
      },
    },
    mongodb: {
      resources: { requests: { cpu: millicores(plan.mongodbCores / utilization) } },
      storage: { size: `${gibibytes(plan.mongodbBytes / usedShare, 100)}Gi` },
    },
    nats: {
      resources: { requests: { cpu: millicores(plan.natsCores / utilization) } },
      // In NATS, GB are powers of 1,024.
      storage: { size: `${Math.max(20, Math.ceil(store / usedShare))}Gi`, maxFileStore: `${store}GB` },
    },
  };
}
