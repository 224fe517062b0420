/**
 * npm run model:scale: the throughput of metering and billing processes, up to one per partition,
 * computed from measured costs.
 */
import { parseArgs } from "node:util";
import { partitionOf, usagePartitions } from "@uag/contract/messages/usage-subjects";
import { shareOf } from "@uag/metering/stream/membership";

const help = `npm run model:scale -- [options]

Prints how many events per second a number of pairs of a billing and a metering process apply, each process on its own core,
from the cost of one event and from the real distribution of accounts over partitions and processes. MongoDB gets as many
cores as required. services/metering/bench/throughput.ts measures the costs.

  --billing <us>   CPU of billing an event (default 39)
  --metering <us>  CPU of metering an event (default 43)
  --mongod <us>    CPU of mongod an event (default 74)
`;

const accounts = 100_000;
/** The load of the account of a rank, the busiest first. */
const loads: Readonly<Record<string, (rank: number) => number>> = {
  "equal load": () => 1,
  "one with a tenth of all": (rank) => (rank === 0 ? accounts / 9 : 1),
  "Zipf, exponent 1": (rank) => 1 / (rank + 1),
};
const counts = Array.from({ length: Math.log2(usagePartitions) + 1 }, (_, power) => 2 ** power);

/** The share of all usage of each partition. */
function partitionShares(load: (rank: number) => number): number[] {
  const shares = new Array<number>(usagePartitions).fill(0);
  let all = 0;
  for (let rank = 0; rank < accounts; rank++) {
    const partition = partitionOf(`acct_${rank}`);
    shares[partition] = (shares[partition] ?? 0) + load(rank);
    all += load(rank);
  }
  return shares.map((share) => share / all);
}

/** The share of all usage of the busiest of this many processes. */
function busiest(shares: readonly number[], processes: number): number {
  const own = (index: number): number =>
    shareOf(index, processes).reduce((sum, partition) => sum + (shares[partition] ?? 0), 0);
  return Math.max(...Array.from({ length: processes }, (_, index) => own(index)));
}

function costOf(text: string | undefined, preset: number): number {
  const cost = text === undefined ? preset : Number(text);
  if (cost > 0) return cost;
  throw new Error("a cost must be a positive number of microseconds");
}

const text = { type: "string" } as const;
const { values } = parseArgs({
  options: { billing: text, metering: text, mongod: text, help: { type: "boolean", default: false } },
});
if (values.help) process.stdout.write(help);
else {
  const mongod = costOf(values.mongod, 74);
  // The slower of a pair limits the other: one group is settled while another is stored.
  const slower = Math.max(costOf(values.billing, 39), costOf(values.metering, 43));
  const titles = Object.keys(loads);
  const lines = counts.map((processes) => {
    const rates = titles.map(
      (title) => 1e6 / (slower * busiest(partitionShares(loads[title] ?? (() => 1)), processes)),
    );
    const cores = (Math.max(...rates) * mongod) / 1e6;
    return [processes, ...rates.map((rate) => Math.round(rate).toLocaleString("en-US")), cores.toFixed(1)];
  });
  const head = ["pairs", ...titles.map((title) => `events/s, ${title}`), "cores of mongod"];
  const table = [head, head.map(() => "---"), ...lines].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
  process.stdout.write(`${accounts.toLocaleString("en-US")} accounts in ${usagePartitions} partitions\n\n${table}\n`);
}
