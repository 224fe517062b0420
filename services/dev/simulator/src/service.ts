import { once } from "node:events";
import { createPrefixCache } from "./content/prefix-cache.ts";
import { AttemptCounter } from "./faults/attempts.ts";
import type { Faults } from "./faults/catalogue.ts";
import { RateWindows } from "./faults/rate-windows.ts";
import { FaultRules } from "./faults/rules.ts";
import { createSimulatorServer } from "./http/server.ts";
import { openLogFile } from "./log/file.ts";
import { InFlight } from "./log/in-flight.ts";
import { TruthLog } from "./log/truth-log.ts";
import { providers } from "./routes.ts";
import { createTaskStore } from "./tasks/open.ts";
import type { TaskStore } from "./tasks/store.ts";

export interface SimulatorOptions {
  /** 0, the default, takes a free port. */
  readonly port?: number;
  readonly host?: string;
  /** Folder of the truth log and the tasks. */
  readonly dataDir?: string | undefined;
  /** Faults for every request. */
  readonly faults?: Faults;
  readonly maxBodyBytes?: number;
  /** Milliseconds from a task's acceptance to its end; default 2,000. */
  readonly taskMs?: number;
  /** Log entries kept in memory; 0 keeps all. */
  readonly logLimit?: number;
}

export type Simulator = AsyncDisposable & {
  readonly url: string;
  readonly port: number;
  readonly log: TruthLog;
  readonly rules: FaultRules;
  readonly tasks: TaskStore;
  /** Ends all requests in flight, logs them, and closes the port. */
  close(): Promise<void>;
};

function createLog(options: SimulatorOptions): TruthLog {
  const memoryLimit = options.logLimit ?? 0;
  return new TruthLog({ memoryLimit, ...(options.dataDir !== undefined && openLogFile(options.dataDir)) });
}

/** Starts the simulator in this process. Rejects when the port is taken. */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const host = options.host ?? "127.0.0.1";
  const log = createLog(options);
  const rules = new FaultRules();
  const inFlight = new InFlight();
  const tasks = createTaskStore({ dataDir: options.dataDir, taskMs: options.taskMs ?? 2000 });
  let ids = 0;
  const server = createSimulatorServer({
    providers,
    rules,
    log,
    inFlight,
    attempts: new AttemptCounter(),
    windows: new RateWindows(),
    cache: createPrefixCache(Date.now),
    tasks,
    baseFaults: options.faults ?? {},
    maxBodyBytes: options.maxBodyBytes ?? 67_108_864,
    nextId: () => ++ids,
  });
  server.listen({ port: options.port ?? 0, host, backlog: 4096 });
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;

  let closing: Promise<void> | undefined;
  async function shutDown(): Promise<void> {
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
    // Each attempt that was ended still writes its log entry.
    while (inFlight.now > 0) await new Promise((resolve) => setImmediate(resolve));
    tasks.close();
    log.close();
  }
  function close(): Promise<void> {
    closing ??= shutDown();
    return closing;
  }
  return { url: `http://${host}:${port}`, port, log, rules, tasks, close, [Symbol.asyncDispose]: close };
}
