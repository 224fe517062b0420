import { type Figures, forAccounts } from "./figures.ts";

/** What clients will ask of a fleet. */
export interface Demand {
  readonly requestsPerDay: number;
  /** Requests in the busiest minutes, relative to the day's average. */
  readonly peakOverAverage: number;
  /** Share of the requests that stream, 0 to 1. */
  readonly streamed: number;
  readonly chunksPerStream: number;
  readonly secondsPerStream: number;
  /** Accounts that send requests. */
  readonly accounts: number;
  /** How long usage stays in MongoDB, days. */
  readonly retentionDays: number;
  /** How long metering may be down without filling JetStream, minutes. */
  readonly outageMinutes: number;
  /** Share of a core that a process uses at the peak, 0 to 1: the rest is for bursts and for a lost zone. */
  readonly utilization: number;
  /** USD for a GB (1,000 MB) of disk and a month. */
  readonly diskUsd: number;
}

/** The pods of a chart. */
export interface ServicePlan {
  readonly name: string;
  /** At the peak, all pods together. */
  readonly cores: number;
  readonly pods: number;
  /** Resident at the peak, without buffers of large bodies. */
  readonly mibPerPod: number;
}

export interface Plan {
  /** Requests a second. */
  readonly peak: number;
  readonly openStreams: number;
  readonly services: readonly ServicePlan[];
  /** At the peak, of the primaries of all shards together. */
  readonly mongodbCores: number;
  /** Of one member of the replica set, all shards together. */
  readonly mongodbBytesPerDay: number;
  readonly mongodbBytes: number;
  /** USD a month for the disks of all members. */
  readonly mongodbDisksUsd: number;
  /** At the peak, of all NATS servers together. */
  readonly natsCores: number;
  /** Of one server. */
  readonly jetstreamBytes: number;
}

/** Members of MongoDB's replica set, and servers of NATS, which all have a copy. */
export const copies = 3;
/** No service runs without a second process. */
const minPods = 2;
/** What open streams may take of a pod's limit of 1 GiB, MiB. */
const maxStreamsMib = 256;
const secondsPerDay = 86_400;
const settlers: ReadonlySet<string> = new Set(["billing", "metering"]);
/** Processes through which a stream's chunks pass; to the others a stream is one request. */
const relays: ReadonlySet<string> = new Set(["router", "chat"]);

/** Computes what a fleet needs for a demand from what was measured. One process uses at most one core. */
export function planFor(figures: Figures, demand: Demand): Plan {
  const { cpuUsPerRequest, cpuUsPerChunk, kibPerStream, mibIdle, eventsPerSecondPerPair } = figures;
  const { settling, mongodbBytesPerRequest } = forAccounts(figures, demand.accounts);
  const peak = (demand.requestsPerDay / secondsPerDay) * demand.peakOverAverage;
  const openStreams = peak * demand.streamed * demand.secondsPerStream;
  const pairs = Math.ceil(peak / (eventsPerSecondPerPair * demand.utilization));

  const coresOf = (name: string, factor = 1): number => {
    const perRequest = (cpuUsPerRequest[name] ?? 0) * factor;
    const perStream = relays.has(name) ? (cpuUsPerChunk[name] ?? 0) * demand.chunksPerStream : perRequest;
    return (peak * (perRequest * (1 - demand.streamed) + perStream * demand.streamed)) / 1e6;
  };
  const services = [...relays, ...settlers].map((name): ServicePlan => {
    const settles = settlers.has(name);
    const cores = coresOf(name, settles ? settling : 1);
    const streamsMib = ((kibPerStream[name] ?? 0) * openStreams) / 1_024;
    const needed = [minPods, cores / demand.utilization, streamsMib / maxStreamsMib, settles ? pairs : 0];
    const pods = Math.ceil(Math.max(...needed));
    return { name, cores, pods, mibPerPod: (mibIdle[name] ?? 0) + streamsMib / pods };
  });
  const mongodbBytesPerDay = demand.requestsPerDay * mongodbBytesPerRequest;
  const mongodbBytes = mongodbBytesPerDay * demand.retentionDays;
  return {
    peak,
    openStreams,
    services,
    mongodbCores: coresOf("mongod", settling),
    mongodbBytesPerDay,
    mongodbBytes,
    mongodbDisksUsd: ((copies * mongodbBytes) / 1e9) * demand.diskUsd,
    natsCores: coresOf("nats-server"),
    jetstreamBytes: peak * demand.outageMinutes * 60 * figures.jetstreamBytesPerRequest,
  };
}
