import { z } from "zod";

const byProcess = z.record(z.string(), z.number().nonnegative());

const accountFigures = z.strictObject({
  accounts: z.int().positive(),
  /** Processor time of billing, metering and mongod, relative to one account: `npm run bench -- --scenario accounts`. */
  settling: z.number().positive(),
  /** Bytes of a request in MongoDB, rows and indexes of usage and ledger: services/metering/bench/throughput.ts. */
  mongodbBytesPerRequest: z.number().positive(),
});

/** What one machine was measured to need, in `infra/sizing.json`. */
export const figuresSchema = z.strictObject({
  /** When and where the benchmark ran. */
  at: z.iso.datetime(),
  machine: z.strictObject({
    cpu: z.string(),
    cores: z.int(),
    node: z.string(),
    /** Share of the machine's processor time that other programs used meanwhile. */
    others: z.number(),
  }),
  /** Microseconds of processor time, by process: `npm run bench -- --scenario json`, which has one account. */
  cpuUsPerRequest: byProcess,
  /** Microseconds of processor time, by process: `npm run bench -- --scenario sse`. */
  cpuUsPerChunk: byProcess,
  /** KiB for each open stream, by process: `npm run bench -- --scenario slow`. */
  kibPerStream: byProcess,
  /** MiB resident without requests, by process: the same. */
  mibIdle: byProcess,
  /** Ascending numbers of accounts, the first 1. */
  byAccounts: z.tuple([accountFigures], accountFigures),
  /** Events a second that one pair of billing and metering settles: `npm run model:scale`. */
  eventsPerSecondPerPair: z.number().positive(),
  /** Bytes of a request that metering has not settled, in JetStream: `npm run prove -- metering-down`. */
  jetstreamBytesPerRequest: z.number().positive(),
});

export type Figures = z.infer<typeof figuresSchema>;
export type AccountFigures = z.infer<typeof accountFigures>;

/** What a benchmark's file (`--json`) has for sizing. */
export const benchmarkSchema = z.object({
  at: z.iso.datetime(),
  machine: figuresSchema.shape.machine,
  rows: z.array(
    z.object({ scenario: z.string(), measure: z.string(), values: z.object({ gateway: z.number().nullable() }) }),
  ),
});

type Benchmark = z.infer<typeof benchmarkSchema>;

/** The process that a row of a sum's parts is about; undefined for other rows. */
const processIn = (measure: string): string | undefined => /^ {2}(?!with )(.+)$/.exec(measure)?.[1];

/** The parts of a sum, which follow it in the report. @throws {Error} if the benchmark did not measure it */
function partsOf(rows: Benchmark["rows"], scenario: RegExp, measure: string): Record<string, number> {
  const start = rows.findIndex((row) => scenario.test(row.scenario) && row.measure === measure);
  const parts: Record<string, number> = {};
  for (const row of start === -1 ? [] : rows.slice(start + 1)) {
    const name = processIn(row.measure);
    if (name === undefined) break;
    // Memory can shrink while streams open.
    parts[name] = Number(Math.max(0, row.values.gateway ?? 0).toPrecision(3));
  }
  if (Object.keys(parts).length === 0) throw new Error(`The benchmark's file has no "${measure}" of ${scenario}.`);
  return parts;
}

/** Takes the figures of a benchmark over those that it does not measure. */
export function figuresOf({ at, machine, rows }: Benchmark, kept: Figures): Figures {
  return {
    ...kept,
    at,
    machine,
    cpuUsPerRequest: partsOf(rows, /^JSON, 64 connections/, "CPU us per request"),
    // Milliseconds per 1,000 chunks are microseconds per chunk.
    cpuUsPerChunk: partsOf(rows, /^100 streams of 200 chunks/, "CPU ms per 1,000 chunks"),
    kibPerStream: partsOf(rows, /^1,000 streams/, "KiB per stream"),
    mibIdle: partsOf(rows, /^1,000 streams/, "RSS before, MiB"),
  };
}

/** What a number of accounts costs: measured, or between two measured numbers by the logarithm of the accounts. */
export function forAccounts({ byAccounts }: Figures, accounts: number): AccountFigures {
  const [first] = byAccounts;
  const below = byAccounts.findLast((row) => row.accounts <= accounts) ?? first;
  const above = byAccounts.find((row) => row.accounts >= accounts) ?? below;
  const width = Math.log(above.accounts / below.accounts);
  const part = width <= 0 ? 0 : Math.log(accounts / below.accounts) / width;
  const between = (of: (row: AccountFigures) => number): number => of(below) + part * (of(above) - of(below));
  return {
    accounts,
    settling: between((row) => row.settling),
    mongodbBytesPerRequest: between((row) => row.mongodbBytesPerRequest),
  };
}
