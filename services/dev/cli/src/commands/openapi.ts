// Writes the OpenAPI documents: npm run openapi -- --help
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { startReceiver } from "@uag/harness/fleet/receiver";
import { runTool } from "@uag/local/engines/run-tool";
import { startFleet } from "@uag/local/service";
import { fail } from "@uag/local/terminal/step";
import { documentNames } from "@uag/router/docs/documents";
import { withEarlierValues } from "@uag/router/openapi/examples/earlier-values";
import { examples, examplesFile } from "@uag/router/openapi/examples/examples";
import { openApiFile, openApiText } from "@uag/router/openapi/file";
import { recordExamples } from "../openapi/record-examples.ts";

const help = `npm run openapi -- [--record]

Writes the OpenAPI documents from the schemas that validate requests. With --record it first starts a gateway of its own,
sends it every example of the reference (gateway/src/openapi/examples) and keeps the responses. Identifiers, times and
measurements stay as recorded before, so that recording the same examples again changes nothing.
`;

/** Runs a command of this folder in a process of its own. */
async function runCommand(name: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const file = fileURLToPath(new URL(name, import.meta.url));
  const { code, output } = await runTool(process.execPath, [file, ...args], { env: { ...process.env, ...env } });
  if (code !== 0) throw new Error(`${name} failed: ${output}`);
}

async function record(): Promise<void> {
  await using resources = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), "examples-"));
  resources.defer(() => rm(dataDir, { recursive: true, force: true }));
  const receiver = resources.use(await startReceiver({ refuseEvery: 0 }));
  const egressAllow = receiver.address;
  const { run } = resources.use(await startFleet({ dataDir, egressAllow }));
  const startedAt = Date.now();
  const today = new Date(startedAt).toISOString().slice(0, 10);
  const reconcile = () =>
    runCommand("reconcile.ts", ["--provider", "openai", "--from", today, "--to", today], { DATA_DIR: dataDir });
  const recorded = await recordExamples(run, { receiver, reconcile });
  const shown = withEarlierValues(recorded, { earlier: examples, startedAt });
  await writeFile(examplesFile, `${JSON.stringify(shown, null, 2)}\n`);
  // This process has read the earlier examples.
  await runCommand("openapi.ts", []);
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { record: { type: "boolean" }, help: { type: "boolean", short: "h" } } });
  if (values.help) process.stdout.write(help);
  else if (values.record) await record();
  else for (const name of documentNames) await writeFile(openApiFile(name), openApiText(name));
}

await main().catch(fail);
