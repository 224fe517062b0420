// Writes the OpenAPI documents: npm run openapi -- --help
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { documentNames } from "@uag/gateway/docs/documents";
import { examplesFile } from "@uag/gateway/openapi/examples/examples";
import { openApiFile, openApiText } from "@uag/gateway/openapi/file";
import { startReceiver } from "@uag/harness/fleet/receiver";
import { startFleet } from "@uag/local/service";
import { fail } from "@uag/local/terminal/step";
import { recordExamples } from "../openapi/record-examples.ts";

const help = `npm run openapi -- [--record]

Writes the OpenAPI documents from the schemas that validate requests. With --record it first starts a gateway of its own,
sends it every example of the reference (gateway/src/openapi/examples) and keeps the responses; run it again without --record then.
`;

async function record(): Promise<void> {
  await using resources = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), "examples-"));
  resources.defer(() => rm(dataDir, { recursive: true, force: true }));
  const receiver = resources.use(await startReceiver({ refuseEvery: 0 }));
  const egressAllow = receiver.address;
  const { run } = resources.use(await startFleet({ dataDir, egressAllow }));
  const recorded = await recordExamples(run, receiver);
  await writeFile(examplesFile, `${JSON.stringify(recorded, null, 2)}\n`);
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { record: { type: "boolean" }, help: { type: "boolean", short: "h" } } });
  if (values.help) process.stdout.write(help);
  else if (values.record) await record();
  else for (const name of documentNames) await writeFile(openApiFile(name), openApiText(name));
}

await main().catch(fail);
