// npm run simulate: runs the logic of admission, limits and ledger under every kind of failure,
// from a seed.
import { parseArgs } from "node:util";
import { fail, print } from "@uag/local/terminal/step";
import { sources, stages } from "../simulation/crash-counts.ts";
import { simulate } from "../simulation/simulate.ts";

const help = `npm run simulate -- [options]

Runs admission, limits, journal and ledger in memory, with crashes, lost, duplicated and reordered messages, pauses and
clock jumps, while envelopes are opened, closed and expire, and credentials of a pool are rejected and reach their caps.
Checks after each step that no account, budget, end user's part, envelope or cap is overdrawn and no limit exceeded, and
at the end of each world that every request is billed exactly once, counted once toward each of its budgets, its end
user and envelopes and toward its credential, archived in one file and on the invoice of its month, and that every row
of the ledger is in one file of its month. Prints how often a process died with a request in each stage, by source of funds. A failure
prints its last steps and the command that repeats it, and exits with 1.
  --steps <n>   default 1000000
  --seed <n>    seed of the first world; each world of 4,000 steps uses the next seed; default 1
`;

const text = { type: "string" } as const;
const options = { steps: text, seed: text, help: { type: "boolean", short: "h" } } as const;
const reportEvery = 100_000;

const row = (name: string, cells: readonly (string | number)[]): string =>
  `${name.padEnd(16)}${cells.map((cell) => String(cell).padStart(12)).join("")}\n`;

async function main(): Promise<void> {
  const { values } = parseArgs({ options });
  if (values.help) {
    process.stdout.write(help);
    return;
  }
  const began = performance.now();
  const seconds = (): number => Math.round((performance.now() - began) / 1_000);
  const report = (steps: number): void => {
    if (steps % reportEvery === 0) print(`${steps} steps, ${seconds()} s`);
  };
  const seed = Number(values.seed ?? 1);
  const { worlds, requests, crashes, steps, deaths, envelopes, pool, usageArchive, ledgerArchive, ...refused } =
    await simulate({
      steps: Number(values.steps ?? 1_000_000),
      seed,
      report,
    });
  process.stdout.write(row("died with", sources));
  for (const stage of stages)
    process.stdout.write(
      row(
        stage,
        sources.map((source) => deaths.get(`${stage} ${source}`) ?? "-"),
      ),
    );
  for (const [name, { files, killed, fenced }] of Object.entries({ usage: usageArchive, ledger: ledgerArchive }))
    process.stdout.write(`archive of the ${name}: ${files} files, ${killed} archivers killed, ${fenced} fenced\n`);
  const { opened, closed, expired } = envelopes;
  process.stdout.write(
    `${opened} envelopes opened, ${closed} closed, ${expired} expired; ${refused.refusedForEnvelope} grants refused in them\n` +
      "0 requests lost, 0 billed twice; 0 budgets, 0 end users and 0 envelopes overspent, 0 charges lost or doubled at any level\n",
  );
  process.stdout.write(
    `${pool.calls} calls with the credentials of a pool, ${pool.rejections} rejected, ${pool.refused} requests refused by all caps; ` +
      "0 caps overspent, 0 charges lost or doubled at any credential\n",
  );
  process.stdout.write(
    `${steps} steps of ${worlds} worlds: ${requests} requests, ${crashes} crashes, ${refused.refusedForBudget} grants ` +
      `refused for a key's budget and ${refused.refusedForSharedBudget} for a shared one, ${refused.refusedForClock} requests for a wrong clock, ` +
      `${seconds()} s; exact\n`,
  );
}

await main().then(
  () => process.exit(0),
  (error: unknown) => fail(error),
);
