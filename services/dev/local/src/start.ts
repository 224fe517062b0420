import { Socket } from "node:net";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readConfig } from "@uag/runtime/config";
import { banner } from "./banner.ts";
import { schema } from "./config.ts";
import { buildConsole } from "./console-web.ts";
import { followRequests } from "./logs/requests.ts";
import { startFleet } from "./service.ts";
import { singleName } from "./single/single-process.ts";
import { print } from "./terminal/step.mjs";

const help = `npm start [-- --single]

Starts the whole system on this machine: MongoDB, NATS, the simulator of the model providers, and every service.
Prints the base URL, an API key, the console's address and password, and a working curl command. Ctrl-C stops everything; the
state is in .data.

  --single  runs all services in one process: less memory and a faster start, but they stop and restart together

Environment:
${Object.entries(schema.shape)
  .map(([name, { description }]) => `  ${name.padEnd(14)} ${description}`)
  .join("\n")}
  OPENAI_API_KEY, ANTHROPIC_API_KEY, ... (all: README.md)
                 With its key the real provider serves its models, otherwise the simulator. *_BASE_URL sets another server.
`;

/** Aborted by SIGINT, SIGTERM or SIGHUP, or by the end of the parent process. */
function stopSignal(): AbortSignal {
  const controller = new AbortController();
  // Ctrl-C may arrive twice, from the terminal and from the parent; the second has no effect.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => controller.abort());
  const fd = process.env["PARENT_PIPE_FD"];
  if (fd !== undefined) {
    const pipe = new Socket({ fd: Number(fd) });
    pipe.on("close", () => controller.abort());
    pipe.resume();
  }
  return controller.signal;
}

/** The gateway does not wait for the console's pages, because it works without them. */
async function buildPages(report: (line: string) => void, signal: AbortSignal): Promise<void> {
  await buildConsole({ report, signal }).catch((error: unknown) => {
    if (signal.aborted) return;
    report(`The console could not be built; everything else works.\n${error instanceof Error ? error.message : error}`);
  });
}

/**
 * `npm start`: resolves when the fleet has been stopped; the process then ends on its own or by
 * `process.exit`.
 */
export async function start(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { single: { type: "boolean", default: false }, help: { type: "boolean", short: "h" } },
  });
  if (values.help) {
    process.stdout.write(help);
    return;
  }
  const config = readConfig(schema);
  const signal = stopSignal();
  const startedAt = performance.now();
  const atTerminal = process.stdout.isTTY === true;
  const fleet = await startFleet({
    dataDir: config.DATA_DIR,
    port: config.PORT,
    replicas: { chat: config.CHAT_REPLICAS },
    single: values.single,
    mongodbUrl: config.MONGODB_URL,
    natsUrl: config.NATS_URL,
    egressAllow: config.EGRESS_ALLOW,
    // At a terminal every request is logged as a line. Elsewhere only failures are, and no log is
    // followed.
    env: atTerminal && process.env["ACCESS_LOG"] === undefined ? { ACCESS_LOG: "all" } : {},
    report: print,
    signal,
  }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  if (fleet !== undefined) {
    print(await banner(fleet, (performance.now() - startedAt) / 1000));
    await buildPages(print, signal);
    if (atTerminal)
      followRequests(join(fleet.dataDir, "log", `${values.single ? singleName : "router"}.log`), print, signal);
    await new Promise((resolve) => (signal.aborted ? resolve(0) : signal.addEventListener("abort", resolve)));
    print("Stopping.");
    await fleet.stop();
  }
  process.exit(0);
}
