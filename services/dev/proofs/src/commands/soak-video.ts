// npm run soak:video: runs many video tasks with webhooks while processes are killed.
import { parseArgs } from "node:util";
import { fail, print } from "@uag/local/terminal/step";
import { soakVideo } from "../soak/video.ts";
import { taskFunds } from "../soak/video-crash.ts";
import { measurePolling } from "../soak/video-polling.ts";
import { inDataDir } from "./data-dir.ts";

const help = `npm run soak:video -- [options]

Ends a video process with SIGKILL at every point of a task's life for each source of funds: a key at its budget's end, an
account at its money's end, a key at its limit. Then submits tasks with webhooks while processes are ended at random, and checks every task: it has ended, was made once
at most, was charged as its end says, was told of under one id; and the books are exact. Ends with 1 when anything is not so.
  --tasks <n>         tasks to submit; default 1000
  --seed <n>          of the kills and the tasks' fates; default 1
  --kill <a,b>        processes that are killed; default: every video replica
  --kill-all          billing, nats-server and mongod besides
  --every <ms>        time between two kills, about; default 4000
  --replicas <n>      video processes; default 2
  --concurrency <n>   submissions at the same time; default 8

  --polling           kills nothing; measures what idling and looking after that many running tasks cost
  --seconds <n>       how long to measure; default 60
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
  return values["kill-all"] ? [...named, "billing", "nats-server", "mongod"] : named;
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
