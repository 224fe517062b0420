import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chooseEngines } from "@uag/local/engines/start";
import { makeCertificates } from "@uag/local/identity/certificates";
import { binDir } from "@uag/local/paths";
import { Ports } from "@uag/local/ports";
import { Supervisor } from "@uag/local/supervisor/supervisor";

export interface TestEngines extends AsyncDisposable {
  /** The environment variables with the engines' addresses. */
  readonly env: { readonly TEST_MONGODB_URL: string; readonly TEST_NATS_URL: string };
}

const patienceMs = 30_000;

/** On a machine that is suspended for two seconds services would lose the database. */
function patiently(url: string): string {
  const waits = ["serverSelectionTimeoutMS", "connectTimeoutMS", "waitQueueTimeoutMS"];
  return `${url}${url.includes("?") ? "&" : "?"}${waits.map((name) => `${name}=${patienceMs}`).join("&")}`;
}

/**
 * One mongod and one nats-server for all contract tests; each test uses its own database and stream
 * prefix.
 */
export async function startTestEngines(): Promise<TestEngines> {
  await using starting = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), "test-engines-"));
  starting.defer(() => rm(dataDir, { recursive: true, force: true }));
  const ports = starting.use(await Ports.load(join(dataDir, "ports.json")));
  await makeCertificates(dataDir);
  const secret = randomBytes(32).toString("hex");
  const engines = await chooseEngines({ binDir, dataDir, ports, secret });
  process.stdout.write(`Using ${engines.chosen.join(" and ")}.\n`);
  const report = (line: string): void => void process.stderr.write(`${line}\n`);
  const supervisor = starting.use(Supervisor.start({ logDir: join(dataDir, "log"), report }));
  for (const spec of engines.processes) await supervisor.add(spec);
  await Promise.all(engines.processes.map(({ name }) => supervisor.ready(name)));
  const running = starting.move();
  return {
    env: { TEST_MONGODB_URL: patiently(engines.mongodbUrl), TEST_NATS_URL: engines.natsUrl },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
