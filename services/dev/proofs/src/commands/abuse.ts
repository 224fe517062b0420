// npm run abuse: measures the effect of a key without money on other clients, on its own fleet.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startTestFleet } from "@uag/harness/fleet/with-fleet";
import { readCrashLog } from "@uag/local/crash-log";
import { fail, print, UserError } from "@uag/local/terminal/step";
import { limits as allowed, isWithin, measure, showRow } from "../abuse/measure.ts";
import { MemoryLimits } from "../abuse/memory-limits.ts";
import { storm } from "../abuse/storm.ts";
import { startThirdParty } from "../abuse/third-party.ts";
import { TurnProbes } from "../abuse/turns.ts";

const help = `npm run abuse [-- options]

Sends the most expensive requests to every path of the router, with a key without money and with one request per minute:
the largest, deepest and widest bodies, the most parts and URLs, the longest heads, the slowest uploads. Prints for each the
longest turn of an event loop in processor time, the memory growth, the latency of other clients' requests and the requests
to third parties. Limits: ${allowed.stallMs} ms, ${allowed.growthMiB} MiB, and no failed request of another client. Other load lengthens turns,
so an attack with too long a turn is measured up to three times.

  --path <part>     only paths that contain this
  --attack <part>   only attacks whose name contains this
  --minutes <n>     instead, send random attacks for this long while other clients use the fleet; no process may end and no
                    request of another client may fail
  --seed <n>        seed of the random attacks; default 1
  --attackers <n>   concurrent attackers; default 4
  --memory <size>   memory limit of each service, such as 1GiB; "chart" uses the limits of the Helm charts
`;

const text = { type: "string" } as const;
const options = {
  path: text,
  attack: text,
  minutes: text,
  seed: text,
  attackers: text,
  memory: text,
  help: { type: "boolean", short: "h" },
} as const;
const maxShown = 20;

async function main(): Promise<number> {
  const { values } = parseArgs({ options });
  if (values.help) {
    print(help);
    return 0;
  }
  const minutes = Number(values.minutes ?? 0);
  if (!(minutes >= 0)) throw new UserError(`--minutes ${values.minutes} is no number`);
  await using cleanup = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), "abuse-"));
  cleanup.defer(() => rm(dataDir, { recursive: true, force: true }));
  const thirdParty = cleanup.use(await startThirdParty());
  const turns = await TurnProbes.in(join(dataDir, "t"));
  const limits = values.memory === undefined ? undefined : cleanup.use(new MemoryLimits(values.memory));
  if (limits?.enforced === false) print("No cgroup can be made here: peaks of resident memory are compared instead.");
  const prefixOf = (service: string) => limits?.prefixOf(service);
  const env = { ...(minutes === 0 && turns.env) };
  const fleet = cleanup.use(await startTestFleet({ dataDir, egressAllow: thirdParty.host, prefixOf, env }));
  if (minutes === 0) {
    const report = (row: Parameters<typeof showRow>[0]): void => print(showRow(row));
    const { path = "", attack = "" } = values;
    const rows = await measure({ fleet, thirdParty, turns, path, attack, report });
    const over = rows.filter((row) => !isWithin(row));
    const ended = (await readCrashLog(dataDir)).length;
    const exceeded = rows.flatMap(({ peaks }) => limits?.exceeded(peaks) ?? []);
    print(`${rows.length} attacks, ${over.length} beyond the limits, ${ended} processes ended.`);
    for (const sentence of exceeded) print(`  - ${sentence}`);
    return over.length + ended + exceeded.length === 0 ? 0 : 1;
  }
  const seed = Number(values.seed ?? 1);
  const attackers = Number(values.attackers ?? 4);
  const result = await storm({ fleet, thirdParty, durationMs: minutes * 60_000, seed, attackers });
  const outcomes = [...result.outcomes].sort(([, a], [, b]) => b - a).map(([name, count]) => `${name}: ${count}`);
  print(`${result.attacks} attacks (${outcomes.join(", ")})`);
  print(
    `${result.crashes.length} processes ended, ${result.failedNeighbours.length} requests of others failed; others' p99 ${Math.round(result.neighbourMs)} ms`,
  );
  for (const sentence of [...result.crashes, ...result.failedNeighbours].slice(0, maxShown)) print(`  - ${sentence}`);
  return result.crashes.length + result.failedNeighbours.length === 0 ? 0 : 1;
}

process.exit((await main().catch(fail)) ?? 1);
