import { benchCodec } from "./codec.ts";
import { Ends, type Load } from "./load.ts";

const write = (line: string): void => void process.stdout.write(`${line}\n`);

async function show(ends: Ends, load: Load): Promise<void> {
  await ends.measure({ ...load, count: Math.ceil(load.count / 2) });
  const { cpuUs, perSecond } = await ends.measure(load);
  write(`${load.name.padEnd(44)} ${cpuUs.toFixed(1)} us CPU a ${load.unit}, ${Math.round(perSecond)} ${load.unit}s/s`);
}

/** Prints what the link costs at both ends in plaintext, next to one gRPC call per exchange. */
export async function benchLink(): Promise<void> {
  benchCodec();
  await using ends = await Ends.open(undefined);
  await show(ends, ends.json("JSON: the link"));
  await show(ends, ends.json("JSON: a unary gRPC call each", { count: 10_000, once: ends.plainJson }));
  await show(ends, ends.json("JSON, one at a time: the link", { concurrency: 1, count: 5_000 }));
  await show(ends, ends.sse("SSE, 50 streams: the link"));
  await show(ends, ends.sse("SSE, 50 streams: a gRPC stream each", { once: ends.plainSse }));
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
