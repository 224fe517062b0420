// npm run soak:video: runs many video tasks with webhooks while processes are killed.
import { parseArgs } from "node:util";
import { fail, print } from "@uag/local/terminal/step";
import { soakVideo } from "../soak/video.ts";
import { taskFunds } from "../soak/video-crash.ts";
import { measurePolling } from "../soak/video-polling.ts";
import { inDataDir } from "./data-dir.ts";

const help = `npm run soak:video -- [options]

Kills a video process with SIGKILL at every crash point of a task, for each source of funds: a key whose budget is nearly
used up, an account whose balance is nearly zero, a key at its limit. Then submits tasks with webhooks while processes are
killed at random, and checks that every task has ended, was created at most once, was charged by its outcome and reported
under one id, and that the books are exact. Exits with 1 otherwise.
  --tasks <n>         tasks to submit; default 1000
  --seed <n>          seed of the kills and of the tasks' outcomes; default 1
  --kill <a,b>        processes to kill; default: every video replica
  --kill-all          also kills billing, nats-server and mongod
  --every <ms>        average interval between kills; default 4000
  --replicas <n>      video processes; default 2
  --concurrency <n>   concurrent submissions; default 8

  --polling           kills nothing; measures the cost of idling and of polling that many running tasks
  --seconds <n>       duration of the measurement; default 60
`;

const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;
const options = {
  tasks: text,
  seed: text,
  kill: text,
  every: text,
  replicas: text,
  concurrency: text,
  seconds: text,
  "kill-all": flag,
  polling: flag,
  help: { ...flag, short: "h" },
} as const;
type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>["values"];

const report = (line: string): void => void process.stderr.write(`${line}\n`);

function killedOf(values: Values, replicas: number): string[] {
  const video = Array.from({ length: replicas }, (_, n) => (n === 0 ? "video" : `video-${n + 1}`));
  const named = values.kill?.split(",") ?? video;
  return values["kill-all"] ? [...named, "billing", "notifications", "nats-server", "mongod"] : named;
}

async function main(): Promise<number> {
  const { values } = parseArgs({ options });
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  const replicas = Number(values.replicas ?? 2);
  const show = (result: object): void => print(JSON.stringify(result, null, 2));
  const clean = await inDataDir("soak-video", async (dataDir) => {
    const common = { tasks: Number(values.tasks ?? 1_000), replicas, dataDir, report };
    if (values.polling) {
      show(await measurePolling({ ...common, seconds: Number(values.seconds ?? 60) }));
      return true;
    }
    const result = await soakVideo({
      ...common,
      funds: taskFunds,
      seed: Number(values.seed ?? 1),
      kill: killedOf(values, replicas),
      killEveryMs: Number(values.every ?? 4_000),
      concurrency: Number(values.concurrency ?? 8),
    });
    show(result);
    return result.violations.length === 0;
  });
  return clean ? 0 : 1;
}

process.exit((await main().catch(fail)) ?? 1);
