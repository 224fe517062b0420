// npm run soak:video: many video tasks with webhooks while processes are killed.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { soakVideo } from "../../services/fleet/src/soak/video.ts";
import { fail } from "../lib/step.mjs";

const help = `npm run soak:video -- [options]

  --tasks <n>         tasks to submit; default 1000
  --seed <n>          of the kills and the tasks' fates; default 1
  --kill <a,b>        processes that are killed with SIGKILL; default video,video-2
  --every <ms>        time between two kills, about; default 4000
  --replicas <n>      video processes; default 2
  --concurrency <n>   submissions at the same time; default 8
`;

const text = { type: "string" } as const;
const options = {
  tasks: text,
  seed: text,
  kill: text,
  every: text,
  replicas: text,
  concurrency: text,
  help: { type: "boolean" },
} as const;

async function main(): Promise<number> {
  const { values } = parseArgs({ options });
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  const dataDir = await mkdtemp(join(tmpdir(), "soak-"));
  try {
    const report = await soakVideo({
      tasks: Number(values.tasks ?? 1_000),
      seed: Number(values.seed ?? 1),
      kill: (values.kill ?? "video,video-2").split(","),
      killEveryMs: Number(values.every ?? 4_000),
      replicas: Number(values.replicas ?? 2),
      concurrency: Number(values.concurrency ?? 8),
      dataDir,
    });
    process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
    return report.violations.length === 0 ? 0 : 1;
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

process.exit((await main().catch(fail)) ?? 1);
