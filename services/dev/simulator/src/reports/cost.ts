import { type CountName, type Counts, none } from "./counts.ts";

/** List prices in USD per million; of searches and images, per thousand. */
export type Rates = Readonly<Partial<Record<CountName, number>>> & {
  /** The rates of a request whose whole input is longer. */
  readonly long?: Readonly<Partial<Record<CountName, number>>> & { readonly above: number };
};

const perThousand: ReadonlySet<string> = new Set<CountName>(["webSearch", "image"]);

/** 10^-12 USD for one; a count without a rate of its own is charged as plain input or output. */
function picoUsd(name: CountName, rates: Readonly<Partial<Record<CountName, number>>>): number {
  const otherwise = /output/i.test(name) ? rates.output : rates.input;
  const usd = rates[name] ?? otherwise ?? 0;
  return Math.round(usd * (perThousand.has(name) ? 1e9 : 1e6));
}

/** What one attempt costs by each of its counts, in 10^-12 USD. */
export function costsOf(counts: Counts, rates: Rates): ReadonlyMap<CountName, number> {
  const { input, cached, write, write1h, audioInput, imageInput } = counts;
  const prompt = input + cached + write + write1h + audioInput + imageInput;
  const inForce = rates.long !== undefined && prompt > rates.long.above ? { ...rates, ...rates.long } : rates;
  const names = (Object.keys(none) as CountName[]).filter((name) => counts[name] > 0);
  return new Map(names.map((name) => [name, counts[name] * picoUsd(name, inForce)]));
}

/** 10^-12 USD as a decimal number of the currency's units, exactly: 10^12 a unit for dollars. */
export function decimalOf(pico: number, digits: number): string {
  const text = String(pico).padStart(digits + 1, "0");
  return `${text.slice(0, -digits)}.${text.slice(-digits)}`;
}
