import { z } from "zod";
import type { Docker } from "../image/docker/engine.ts";

/** What `docker inspect` reports: https://docs.docker.com/reference/api/engine/ */
const inspected = z.array(
  z.object({
    Id: z.string(),
    RestartCount: z.number(),
    State: z.object({ Running: z.boolean(), OOMKilled: z.boolean(), ExitCode: z.number() }),
    Config: z.object({ User: z.string(), Labels: z.record(z.string(), z.string()) }),
    HostConfig: z.object({ ReadonlyRootfs: z.boolean(), Memory: z.number() }),
  }),
);

/** A container of the stack. */
export interface Container {
  readonly id: string;
  readonly service: string;
  readonly restarts: number;
  readonly running: boolean;
  readonly oomKilled: boolean;
  readonly exitCode: number;
  /** Whether its image is one of ours. */
  readonly ours: boolean;
  readonly user: string;
  readonly readOnly: boolean;
  /** Bytes; 0 without a limit. */
  readonly memoryLimit: number;
}

const engines = ["identity", "mongodb", "nats"];

export async function containersOf(docker: Docker, project: string): Promise<Container[]> {
  const filter = `label=com.docker.compose.project=${project}`;
  const ids = (await docker.run(["ps", "--all", "--quiet", "--filter", filter])).trim().split("\n");
  const found = inspected.parse(JSON.parse(await docker.run(["inspect", ...ids])));
  return found.map(({ Id, RestartCount, State, Config, HostConfig }) => {
    const service = Config.Labels["com.docker.compose.service"] ?? "";
    return {
      id: Id,
      service,
      restarts: RestartCount,
      running: State.Running,
      oomKilled: State.OOMKilled,
      exitCode: State.ExitCode,
      ours: !engines.includes(service),
      user: Config.User,
      readOnly: HostConfig.ReadonlyRootfs,
      memoryLimit: HostConfig.Memory,
    };
  });
}

/** How often Docker has restarted each service. */
export const restartsOf = (containers: readonly Container[]): ReadonlyMap<string, number> =>
  new Map(containers.map(({ service, restarts }) => [service, restarts]));

/**
 * What is wrong with containers that should be running as `infra/compose.yaml` describes them.
 * @param before how often each had been restarted when all were ready
 */
export function problemsOf(containers: readonly Container[], before: ReadonlyMap<string, number>): string[] {
  return containers.flatMap((container) => {
    const { service, restarts, running, exitCode, ours, user, readOnly, memoryLimit } = container;
    const problems: string[] = [];
    if (service === "identity") return exitCode === 0 ? [] : [`identity ended with ${exitCode}`];
    if (!running) problems.push(`${service} is not running; it ended with ${exitCode}`);
    const again = restarts - (before.get(service) ?? 0);
    if (again > 0) problems.push(`Docker restarted ${service} ${again} times under load`);
    if (container.oomKilled) problems.push(`${service} was killed for its memory`);
    if (!ours) return problems;
    if (user !== "65532:65532") problems.push(`${service} runs as ${user}`);
    if (!readOnly) problems.push(`${service} may write to its root`);
    if (memoryLimit === 0) problems.push(`${service} has no memory limit`);
    return problems;
  });
}

/** A line for each container with the memory that it uses. */
export async function memoryOf(docker: Docker, containers: readonly Container[]): Promise<string> {
  const running = containers.filter((container) => container.running);
  const format = "{{.ID}} {{.MemUsage}}";
  const lines = await docker.run([
    "stats",
    "--no-stream",
    "--no-trunc",
    "--format",
    format,
    ...running.map(({ id }) => id),
  ]);
  const usage = new Map(
    lines
      .trim()
      .split("\n")
      .map((line) => [line.slice(0, 64), line.slice(65)]),
  );
  return running
    .map(({ id, service }) => `${service.padEnd(14)} ${usage.get(id)}`)
    .sort()
    .join("\n");
}

const killMain = `
const fs = require("node:fs");
const isMain = (pid) => /^node\\0.*main\\.js/.test(fs.readFileSync(\`/proc/\${pid}/cmdline\`, "utf8"));
const pid = fs.readdirSync("/proc").find((name) => /^[0-9]+$/.test(name) && isMain(name));
process.kill(Number(pid), "SIGKILL");
`;

/** Ends a service's process with SIGKILL from inside its container, which Docker then restarts. */
export async function killProcess(docker: Docker, containers: readonly Container[], service: string): Promise<void> {
  const container = containers.find((one) => one.service === service);
  await docker.run(["exec", container?.id ?? service, "node", "--eval", killMain]).catch((error: unknown) => {
    // The command ends with its container.
    if (!/137/.test(String(error))) throw error;
  });
}
