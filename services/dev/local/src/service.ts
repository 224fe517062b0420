import { join } from "node:path";
import { balancerProcess } from "./balancer/haproxy.ts";
import { buildServices } from "./build/build-services.ts";
import { type Crash, recordCrash } from "./crash-log.ts";
import { dataDirMark, resolveDataDir, takeDataDir } from "./data-dir.ts";
import { natsUserOf } from "./engines/nats.ts";
import { chooseEngines, type Engines } from "./engines/start.ts";
import { environmentOf } from "./environment.ts";
import { certificateFiles, makeCertificates } from "./identity/certificates.ts";
import { binDir, repoRoot } from "./paths.ts";
import { isFree, Ports } from "./ports.ts";
import { type Environment, type ServiceRow, services, simulator } from "./processes.ts";
import { type ProviderState, providerStates, simulatedProviders } from "./providers.ts";
import { ownRelease, type Release } from "./release.ts";
import { type Run, removeRun, writeRun } from "./run-file.ts";
import { loadSecrets, type Secrets } from "./secrets.ts";
import { seed, seedAccountId } from "./seed.ts";
import { type CommandPrefix, commandOf, portName, replicaNames, serviceProcesses } from "./service-processes.ts";
import { singleName, singleProcess } from "./single/single-process.ts";
import type { ProcessSpec } from "./supervisor/process.ts";
import { type ProcessControl, Supervisor } from "./supervisor/supervisor.ts";
import { UserError } from "./terminal/step.mjs";

export interface FleetOptions {
  /** Folder for all state and logs; relative to the top of the checkout. */
  dataDir: string;
  /** Port of the public server; 0 or none: a free one, the same on each start. */
  port?: number;
  /** Number of processes per service, e.g. `{chat: 2}`; default 1. */
  replicas?: Readonly<Record<string, number>>;
  /** Names of the services to start; default: all. Billing is always needed. */
  services?: readonly string[];
  /** Runs all services in one process, without replicas; default: one process each. */
  single?: boolean;
  /** Settings for every service; they override the fleet's own. */
  env?: Readonly<Record<string, string>>;
  /** The code to start; default this checkout's. */
  release?: Release;
  /** Engines to use instead of the fleet's own. */
  mongodbUrl?: string | undefined;
  natsUrl?: string | undefined;
  egressAllow?: string | undefined;
  /** The prefix of a service's command, such as one that enters a cgroup; default: none. */
  prefixOf?(service: string): CommandPrefix | undefined;
  /** Receives messages for people, line by line: the chosen engines, processes that ended. */
  report?(line: string): void;
  /** Aborts the start. */
  signal?: AbortSignal;
}

export interface Fleet extends AsyncDisposable {
  readonly run: Run;
  readonly processes: ProcessControl;
  /** How each provider of the catalogue is served. */
  readonly providers: readonly ProviderState[];
  /** Absolute. */
  readonly dataDir: string;
  /** Restarts one process of a service with the code and the settings of another release. */
  changeRelease(name: string, release: Release): Promise<void>;
  /** Stops every process, the engines last. */
  stop(): Promise<void>;
}

/**
 * Starts the whole system on this machine and waits until it is ready.
 * @throws {UserError} for problems that the user can fix.
 */
export async function startFleet(options: FleetOptions): Promise<Fleet> {
  // Inherited by every process: logs, journals and databases are private to this user.
  process.umask(0o077);
  const dataDir = resolveDataDir(options.dataDir);
  const report = options.report ?? (() => {});
  await using starting = new AsyncDisposableStack();
  starting.use(await takeDataDir(dataDir));
  await removeRun(dataDir);
  const ports = starting.use(await Ports.load(join(dataDir, "ports.json")));
  const { replicas = {}, egressAllow, env = {} } = options;
  if (options.single === true && Object.values(replicas).some((count) => count > 1))
    throw new UserError("All services in one process cannot have replicas. Omit --single, or unset CHAT_REPLICAS.");
  const balanced = (replicas["router"] ?? 1) > 1;
  const front = balanced ? "balancer" : "router";
  const port = options.port ? await requireFree(options.port) : await ports.get(portName(front, "PORT"));
  const balancerAdminPort = balanced ? await ports.get(portName(front, "ADMIN_PORT")) : undefined;
  const secrets = await loadSecrets(dataDir);
  await makeCertificates(dataDir);
  const { mongodbUrl, natsUrl } = options;
  const engines = await chooseEngines({ binDir, dataDir, ports, secret: secrets.engines, mongodbUrl, natsUrl });
  report(`Using ${engines.chosen.join(" and ")}.`);

  const mark = { [dataDirMark]: dataDir };
  const onDeath = (death: Crash): void => recordCrash(dataDir, death);
  const supervisor = starting.use(Supervisor.start({ logDir: join(dataDir, "log"), mark, report, onDeath }));
  const settings = { dataDir, port, balancerAdminPort, ports, engines, secrets, replicas, egressAllow, env };
  const around = await environmentOf(settings);
  const built = await buildServices(report);
  const specsOf = (row: ServiceRow, root: string): Promise<ProcessSpec[]> =>
    serviceProcesses({
      row,
      root,
      // Another release runs from its sources.
      program: root === repoRoot ? join(built, `${row.name}.js`) : join(root, row.entry),
      around,
      ports,
      replicas: replicas[row.name] ?? 1,
      env,
      prefix: options.prefixOf?.(row.name),
    });
  const single = commandOf(join(built, `${singleName}.js`));
  await startAll({ options, supervisor, engines, around, specsOf, single });
  const run = await describe({ dataDir, port, secrets, engines, around, supervisor });
  starting.use(await publishRun(dataDir, run, supervisor));
  const running = starting.move();
  const stop = (): Promise<void> => running.disposeAsync();
  const changeRelease = async (name: string, { root, services: rows }: Release): Promise<void> => {
    const specs = await Promise.all(rows.map((row) => specsOf(row, root)));
    const spec = specs.flat().find((one) => one.name === name);
    if (spec === undefined) throw new Error(`${root} does not have the process ${name}`);
    await supervisor.replace(spec);
  };
  const providers = providerStates(around.providers, around.callerEnv);
  return { run, processes: supervisor, providers, dataDir, changeRelease, stop, [Symbol.asyncDispose]: stop };
}

async function requireFree(port: number): Promise<number> {
  if (await isFree(port)) return port;
  let other = port + 1;
  while (!(await isFree(other))) other++;
  throw new UserError(`Port ${port} is taken by another program. Choose another: PORT=${other} npm start`);
}

/** Starts the engines and the simulator concurrently, and all services once those are ready. */
async function startAll(parts: {
  options: FleetOptions;
  supervisor: Supervisor;
  engines: Engines;
  around: Environment;
  specsOf(row: ServiceRow, root: string): Promise<ProcessSpec[]>;
  /** The command that runs all services in one process. */
  single: ProcessSpec["command"];
}): Promise<void> {
  const { options, supervisor, engines, around, specsOf } = parts;
  const { replicas = {}, signal, services: wanted, release = ownRelease } = options;
  const first = [...engines.processes, ...(await specsOf(simulator, repoRoot))];
  const each: ProcessSpec[] = [];
  for (const row of release.services)
    if (wanted?.includes(row.name) ?? true) each.push(...(await specsOf(row, release.root)));
  const then = options.single === true ? [singleProcess(each, parts.single)] : each;
  if (around.balanced) then.push(await balancerOf(around, replicas["router"] ?? 1));
  for (const specs of [first, then]) {
    for (const spec of specs) await supervisor.add(spec);
    await Promise.all(specs.map(({ name }) => supervisor.ready(name, { signal })));
  }
}

/** The balancer in front of several routers. */
function balancerOf(around: Environment, count: number): Promise<ProcessSpec> {
  const addresses = around.address("router", "PORT").split(",");
  const admins = around.address("router", "ADMIN_PORT").split(",");
  const routers = replicaNames("router", count).map((name, n) => ({
    name,
    address: addresses[n] ?? "",
    adminAddress: admins[n] ?? "",
  }));
  const adminPort = Number(around.adminAddress.split(":").at(-1));
  return balancerProcess({ dataDir: around.dataDir, port: around.port, adminPort, routers });
}

async function describe(parts: {
  dataDir: string;
  port: number;
  secrets: Secrets;
  engines: Engines;
  around: Environment;
  supervisor: Supervisor;
}): Promise<Run> {
  const { dataDir, port, secrets, engines, around, supervisor } = parts;
  const baseUrl = `http://127.0.0.1:${port}`;
  const withGrpc = services.filter(({ ports }) => ports.includes("GRPC_PORT"));
  const grpc = Object.fromEntries(withGrpc.map(({ name }) => [name, around.grpc(name)]));
  const { cert: certFile, key: keyFile, ca: caFile } = certificateFiles(dataDir, "operator");
  const tls = { cert_file: certFile, key_file: keyFile, ca_file: caFile };
  const apiKey = await seed({ run: { grpc, tls }, dataDir, secrets });
  return {
    base_url: baseUrl,
    mcp_url: `${baseUrl}/mcp`,
    console_url: `${baseUrl}/console`,
    api_key: apiKey,
    admin_url: `http://${around.adminAddress}/admin/v1`,
    admin: secrets.admin,
    mongodb_url: engines.mongodbUrl,
    nats_url: engines.natsUrl,
    ...natsUserOf(engines.natsUrl),
    simulator_url: around.simulatorUrl,
    pids: supervisor.pids(),
    fleet_pid: process.pid,
    grpc,
    tls,
    account_id: seedAccountId,
    simulated: simulatedProviders(around.providers, around.callerEnv),
  };
}

/** Writes the run file, updates it whenever a process is restarted, and removes it at the end. */
async function publishRun(dataDir: string, run: Run, supervisor: Supervisor): Promise<AsyncDisposable> {
  let last = writeRun(dataDir, run);
  await last;
  supervisor.onRestart = () => {
    run.pids = supervisor.pids();
    last = last.then(() => writeRun(dataDir, run));
  };
  return {
    async [Symbol.asyncDispose]() {
      supervisor.onRestart = undefined;
      await last;
      await removeRun(dataDir);
    },
  };
}
