// npm run compose:test: runs infra/compose.yaml with a real Docker engine, and checks that it serves and survives.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { repoRoot } from "@uag/local/paths";
import { Ports } from "@uag/local/ports";
import { fail, print, step } from "@uag/local/terminal/step";
import { type BuildOptions, buildImages } from "../image/docker/build.ts";
import { type Docker, findDocker } from "../image/docker/engine.ts";
import { makeEngineImages } from "../image/docker/engines.ts";
import { images, version } from "../image/images.ts";
import { chat, createKey, lightLoad, recordedRequests, type Stack } from "./client.ts";
import { type Compose, findCompose } from "./compose.ts";
import { containersOf, killProcess, memoryOf, problemsOf, restartsOf } from "./containers.ts";
import { eventually } from "./eventually.ts";

const help = `npm run compose:test [-- --base local] [--no-build] [--seconds 60] [--keep]

Builds the images of infra/compose.yaml with Docker and runs it: creates an account and a key, sends a chat completion and
checks its cost, sends requests to every capability for --seconds, compares them with the recorded usage, kills the process
of chat, audits the ledger, and stops everything. Fails if a request fails or is not recorded once, or if a container
restarts, exceeds its memory, writes to its root, or does not stop in time. As root on Debian or Ubuntu, installs Docker if
it is missing, and builds Compose with Go. --base local also makes the images of Node, MongoDB, NATS and OpenSSL on this
machine, where no image registry is reached. --no-build uses the images of the last run; --keep leaves the stack
running.
`;

const project = "uag-test";
const firstResponseMs = 300_000;
const afterKillMs = 60_000;
const settledMs = 30_000;

interface Options {
  readonly base?: string;
  readonly build: boolean;
  readonly seconds: number;
}

/** Builds the images, and returns the settings of the compose file that name those of third parties. */
async function prepare(docker: Docker, { base, build }: Options): Promise<Record<string, string>> {
  const options: BuildOptions = { prefix: "uag", tag: version, ...(base === undefined ? {} : { base }) };
  const run = images.filter(({ service }) => service !== "toolbox");
  if (build) await buildImages(docker, run, options);
  if (base !== "local") return {};
  const { mongo, nats, openssl } = await makeEngineImages(docker);
  return { MONGO_IMAGE: mongo, NATS_IMAGE: nats, OPENSSL_IMAGE: openssl };
}

/** The address and the administrator's token, read as the file's first lines describe. */
async function stackOf(compose: Compose, ports: { readonly api: number; readonly admin: number }): Promise<Stack> {
  const token = await compose.run(
    "run",
    "--rm",
    "--no-deps",
    "-T",
    "--entrypoint",
    "cat",
    "identity",
    "/identity/secrets/ADMIN_TOKEN",
  );
  return {
    apiUrl: `http://127.0.0.1:${ports.api}`,
    adminUrl: `http://127.0.0.1:${ports.admin}`,
    adminToken: token.trim(),
  };
}

/** A chat completion that has a cost. @throws while there is none */
async function charged(stack: Stack, key: string): Promise<string> {
  const { status, body, cost } = await chat(stack, key);
  if (status !== 200 || cost === undefined || !(cost > 0)) throw new Error(`${status}, cost ${cost}: ${body}`);
  return `a chat completion responds, and costs ${cost} USD`;
}

/** @throws {Error} unless metering has recorded each served request once */
async function checkRecorded(stack: Stack, served: Readonly<Record<string, number>>): Promise<void> {
  const recorded = await recordedRequests(stack);
  for (const [operation, count] of Object.entries(served)) {
    const found = recorded.get(operation) ?? 0;
    if (found !== count) throw new Error(`metering recorded ${found} of ${count} requests of ${operation}`);
  }
}

/** Everything that the stack must do; returns what failed. */
async function check(docker: Docker, compose: Compose, stack: Stack, seconds: number): Promise<string[]> {
  const key = await step("Creating an account and a key", () => eventually(() => createKey(stack), firstResponseMs));
  print(await step("Waiting for a chat completion", () => eventually(() => charged(stack, key), firstResponseMs)));
  // A service that cannot reach the others yet ends, and Docker starts it again.
  const started = await containersOf(docker, project);
  const { served, failed } = await step(`Sending requests for ${seconds} s`, () => lightLoad(stack, key, seconds));
  print(
    `served ${Object.entries(served)
      .map(([kind, count]) => `${count} ${kind}`)
      .join(", ")}; ${failed.length} failed`,
  );
  const containers = await containersOf(docker, project);
  print(await memoryOf(docker, containers));
  const problems = [...failed.slice(0, 5), ...problemsOf(containers, restartsOf(started))];
  // The first completion is not part of the load.
  const expected = { ...served, "chat.completions": (served["chat.completions"] ?? 0) + 1 };
  await step("Comparing with the recorded usage", () => eventually(() => checkRecorded(stack, expected), settledMs));
  await step("Killing the process of chat", async () => {
    await killProcess(docker, containers, "chat");
    await eventually(() => charged(stack, key), afterKillMs);
  });
  const restarted = (await containersOf(docker, project)).find(({ service }) => service === "chat");
  const restarts = (restarted?.restarts ?? 0) - (restartsOf(containers).get("chat") ?? 0);
  if (restarts !== 1) problems.push(`Docker restarted the killed chat ${restarts} times, not once`);
  await step("Auditing the ledger", () =>
    eventually(() => compose.run("exec", "-T", "auditor", "node", "main.js", "--once"), settledMs),
  );
  return problems;
}

/** Stops every container, and returns those that had to be killed. */
async function stop(docker: Docker, compose: Compose): Promise<string[]> {
  await step("Stopping", () => compose.run("stop"));
  const stopped = await containersOf(docker, project);
  return stopped.flatMap(({ service, exitCode }) => (exitCode === 137 ? [`${service} did not stop in time`] : []));
}

async function test(options: Options, keep: boolean): Promise<void> {
  const docker = await findDocker();
  const dir = join(repoRoot, ".data/compose");
  await mkdir(dir, { recursive: true });
  using chosen = await Ports.load(join(dir, "ports.json"));
  const ports = { api: await chosen.get("api"), admin: await chosen.get("admin") };
  const settings = {
    ...(await prepare(docker, options)),
    TAG: version,
    PORT: `${ports.api}`,
    ADMIN_PORT: `${ports.admin}`,
  };
  const compose = await findCompose(docker, project, settings);
  const clean = (): Promise<string> => compose.run("down", "--volumes", "--remove-orphans", "--timeout", "10");
  await clean();
  try {
    await step("Starting the stack", () => compose.run("up", "--detach", "--no-build"));
    const problems = await check(docker, compose, await stackOf(compose, ports), options.seconds);
    if (!keep) problems.push(...(await stop(docker, compose)));
    for (const problem of problems) print(problem);
    process.exitCode = problems.length === 0 ? 0 : 1;
  } catch (error) {
    process.stderr.write(await compose.run("logs", "--no-color", "--tail", "40"));
    throw error;
  } finally {
    if (!keep) await clean();
  }
}

async function main(): Promise<void> {
  const startedAt = performance.now();
  const { values } = parseArgs({
    options: {
      base: { type: "string" },
      "no-build": { type: "boolean", default: false },
      seconds: { type: "string", default: "60" },
      keep: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return print(help);
  const { base, seconds, keep } = values;
  await test({ build: !values["no-build"], seconds: Number(seconds), ...(base === undefined ? {} : { base }) }, keep);
  print(
    `${process.exitCode === 0 ? "passed" : "failed"} after ${((performance.now() - startedAt) / 60_000).toFixed(1)} minutes`,
  );
}

await main().catch(fail);
