import { spawnSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { engineEnv } from "../engines/env.ts";
import type { ProcessSpec } from "../supervisor/process.ts";
import { acceptsConnections } from "../supervisor/tcp.ts";
import { UserError } from "../terminal/step.mjs";

/** `host:port` of one router's two ports. */
interface BalancedRouter {
  readonly name: string;
  readonly address: string;
  readonly adminAddress: string;
}

export interface BalancerOptions {
  readonly dataDir: string;
  readonly port: number;
  readonly adminPort: number;
  readonly routers: readonly BalancedRouter[];
}

const portOf = (address: string): string => address.slice(address.lastIndexOf(":") + 1);

/**
 * Connections are passed on unchanged. A router that reports that it is stopping gets no new
 * connections and keeps its existing ones, which it closes itself after their responses.
 */
function configFile({ port, adminPort, routers }: BalancerOptions): string {
  const backend = (name: string, addressOf: (router: BalancedRouter) => string): string => `
backend ${name}
  balance leastconn
  option httpchk GET /health/ready
${routers.map((router) => `  server ${router.name} ${addressOf(router)} check port ${portOf(router.adminAddress)}`).join("\n")}
`;
  return `global
  maxconn 4000
defaults
  mode tcp
  timeout connect 2s
  timeout client 20m
  timeout server 20m
  timeout check 2s
  retries 3
  option redispatch 1
  default-server inter 500ms fall 2 rise 1
frontend public
  bind 127.0.0.1:${port}
  default_backend routers
frontend admin
  bind 127.0.0.1:${adminPort}
  default_backend admins
${backend("routers", ({ address }) => address)}${backend("admins", ({ adminAddress }) => adminAddress)}`;
}

/** Debian installs it in a directory that only root's PATH contains. */
const searchPath = (): string => `${process.env["PATH"] ?? ""}:/usr/local/sbin:/usr/sbin`;

/** Whether several routers can be started here. */
export const hasBalancer = (): boolean =>
  spawnSync("haproxy", ["-v"], { env: { ...engineEnv(), PATH: searchPath() } }).status === 0;

/**
 * This machine's HAProxy in front of several routers, for the supervisor.
 * @throws {UserError} when the machine has none
 */
export async function balancerProcess(options: BalancerOptions): Promise<ProcessSpec> {
  const env = { ...engineEnv(), PATH: searchPath() };
  if (!hasBalancer())
    throw new UserError("Several routers need HAProxy in front of them. On Debian: apt-get install haproxy");
  const dir = join(options.dataDir, "haproxy");
  await mkdir(dir, { recursive: true });
  const file = join(dir, "haproxy.cfg");
  await writeFile(file, configFile(options));
  return {
    name: "balancer",
    command: ["haproxy", "-db", "-f", file],
    env,
    cwd: dir,
    isReady: () => acceptsConnections(options.port),
  };
}
