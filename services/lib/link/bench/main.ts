import { benchCodec } from "./codec.ts";
import { Ends, type Load } from "./load.ts";

const write = (line: string): void => void process.stdout.write(`${line}\n`);

/**
 * Measures each load in every round, the first round to warm up, and prints its median and how it
 * compares with the first load in the same round.
 */
async function compare(ends: Ends, rounds: number, loads: readonly [Load, ...Load[]]): Promise<void> {
  const costs = loads.map((): number[] => []);
  for (let round = -1; round < rounds; round++)
    for (const [at, load] of loads.entries()) {
      const { cpuUs } = await ends.measure(load);
      if (round >= 0) costs[at]?.push(cpuUs);
    }
  const [first] = costs as [number[]];
  for (const [at, { name, unit }] of loads.entries()) {
    const ratios = (costs[at] ?? []).map((cost, round) => cost / (first[round] as number));
    const cost = `${median(costs[at] ?? []).toFixed(1)} us CPU per ${unit}`;
    write(`${name.padEnd(36)} ${cost.padEnd(26)} ${median(ratios).toFixed(2)} times the link`);
  }
}

/**
 * Prints what the link costs at both ends in plaintext, next to one gRPC call and to one stream of
 * an HTTP/2 connection per exchange.
 */
export async function benchLink(rounds: number): Promise<void> {
  benchCodec();
  await using ends = await Ends.open(undefined);
  const count = 10_000;
  await compare(ends, rounds, [
    ends.json("JSON: the link", { count }),
    ends.json("JSON: a unary gRPC call each", { count, once: ends.plainJson }),
    ends.json("JSON: an HTTP/2 stream each", { count, once: ends.http2("/json") }),
  ]);
  await compare(ends, rounds, [
    ends.sse("50 streams: the link", { count: 200 }),
    ends.sse("50 streams: a gRPC stream each", { count: 200, once: ends.plainSse }),
    ends.sse("50 streams: an HTTP/2 stream each", { count: 200, once: ends.http2("/sse") }),
  ]);
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] as number;

/**
 * Prints what mutual TLS adds, both ends together. Plaintext and TLS rounds alternate and each is
 * compared with its neighbour, because a shared machine's speed varies from minute to minute.
 * @param tls the `tls` folder of a fleet's data directory
 */
export async function benchTls(tls: string, rounds: number): Promise<void> {
  await using clear = await Ends.open(undefined);
  await using secured = await Ends.open(tls);
  for (const load of ["json", "sse"] as const) {
    const [plain, added]: [number[], number[]] = [[], []];
    const once = async (ends: Ends): Promise<number> => (await ends.measure(ends[load](load))).cpuUs;
    for (let round = -1; round < rounds; round++) {
      const [without, over] = [await once(clear), await once(secured)];
      if (round < 0) continue;
      plain.push(without);
      added.push(over - without);
    }
    const spread = added.toSorted((a, b) => a - b);
    const [low, high] = [spread[rounds >> 2], spread[rounds - 1 - (rounds >> 2)]] as [number, number];
    const { unit } = clear[load](load);
    const quarters = `the middle half of ${rounds} pairs: ${low.toFixed(2)} to ${high.toFixed(2)}`;
    write(
      `${load}: ${median(plain).toFixed(2)} us CPU a ${unit} in the clear, TLS adds ${median(added).toFixed(2)} us (${quarters})`,
    );
  }
}
