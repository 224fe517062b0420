import { spawn } from "node:child_process";
import { open } from "node:fs/promises";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { runTool } from "@uag/local/engines/run-tool";
import { step, UserError } from "@uag/local/terminal/step";
import { installPackage, isInstalled } from "./apt.ts";
import { outputOf } from "./output.ts";

const engineLog = "/var/log/docker.log";
const engineStartMs = 30_000;

/** A client whose engine responds, and that can build with BuildKit. */
export interface Docker {
  /** Path of the client. */
  readonly program: string;
  /**
   * Runs a command and returns its output.
   * @throws {UserError} with the output if it fails
   */
  run(args: readonly string[], options?: { readonly input?: Readable }): Promise<string>;
}

const buildKit = { ...process.env, DOCKER_BUILDKIT: "1" };

const clientOf = (program: string): Docker => ({
  program,
  run: (args, { input } = {}) => outputOf(program, args, { name: `docker ${args.join(" ")}`, env: buildKit, input }),
});

const serverVersion = async (program: string): Promise<string | undefined> => {
  const { code, output } = await runTool(program, ["version", "--format", "{{.Server.Version}}"]);
  return code === 0 ? output.trim() : undefined;
};

/** A client since version 23 needs a plugin for BuildKit; before, it has BuildKit built in. */
async function buildsWithBuildKit(program: string): Promise<boolean> {
  if ((await runTool(program, ["buildx", "version"])).code === 0) return true;
  const { output } = await runTool(program, ["version", "--format", "{{.Client.Version}}"]);
  return Number.parseInt(output, 10) < 23;
}

async function findClient(): Promise<string | undefined> {
  const { output } = await runTool("which", ["-a", "docker"]);
  for (const program of output.split("\n").filter((line) => line.startsWith("/")))
    if (await buildsWithBuildKit(program)) return program;
  return undefined;
}

/** Starts an engine that keeps running, as the service of its package would. */
async function startEngine(): Promise<void> {
  if (process.getuid?.() !== 0 || process.env["DOCKER_HOST"] !== undefined || !(await isInstalled("dockerd")))
    throw new UserError("No Docker engine responds. Start it, then run the command again.");
  const log = await open(engineLog, "a");
  spawn("dockerd", [], { detached: true, stdio: ["ignore", log.fd, log.fd] }).unref();
  await log.close();
}

async function responds(program: string): Promise<void> {
  for (const deadline = performance.now() + engineStartMs; performance.now() < deadline; await sleep(200))
    if ((await serverVersion(program)) !== undefined) return;
  throw new UserError(`dockerd did not start. Its output is in ${engineLog}.`);
}

/**
 * The Docker of this machine, or of `DOCKER_HOST`. As root on Debian or Ubuntu, an engine that is
 * missing is installed and started; it keeps running.
 * @throws {UserError} that says what is missing
 */
export async function findDocker(): Promise<Docker> {
  if ((await findClient()) === undefined) await installPackage("docker.io", "dockerd");
  const program = await findClient();
  if (program === undefined)
    throw new UserError("docker cannot build with BuildKit. Install its plugin buildx, then run the command again.");
  if ((await serverVersion(program)) === undefined)
    await step("Starting dockerd", async () => {
      await startEngine();
      await responds(program);
    });
  return clientOf(program);
}

export const hasImage = async ({ program }: Docker, name: string): Promise<boolean> =>
  (await runTool(program, ["image", "inspect", name])).code === 0;
