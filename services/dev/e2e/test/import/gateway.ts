import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adminApi } from "@uag/cli/commands/admin-api";
import { createTestClient, type TestClient } from "@uag/harness/fleet/client";
import { startTestFleet, type TestFleet } from "@uag/harness/fleet/with-fleet";

/** A gateway that is imported into, and a folder for the import's files. */
export interface ImportGateway {
  readonly fleet: TestFleet;
  readonly dir: string;
}

/** Starts a gateway; it and the folder end with `resources`. */
export async function startImportGateway(resources: AsyncDisposableStack): Promise<ImportGateway> {
  const dir = await mkdtemp(join(tmpdir(), "import-"));
  resources.defer(() => rm(dir, { recursive: true, force: true }));
  const services = ["billing", "metering", "chat", "router"] as const;
  const options = { dataDir: join(dir, "fleet"), single: true, services: [...services] };
  return { dir, fleet: resources.use(await startTestFleet(options)) };
}

/** All rows of a list of the admin API. */
export async function rowsOf<T>(
  { run }: TestFleet,
  path: string,
  query: Readonly<Record<string, string | undefined>> = {},
): Promise<T[]> {
  const rows: T[] = [];
  for await (const row of adminApi(run).rows(path, query)) rows.push(row as T);
  return rows;
}

/** A line of an import's file of new keys. */
export interface Mapped {
  readonly name: string;
  readonly old_key: string;
  readonly key_id: string;
  readonly key: string;
}

/** The lines of an import's file of new keys. */
export async function readMapping(file: string): Promise<Mapped[]> {
  const lines = (await readFile(file, "utf8")).trim().split("\n");
  return lines.map((line) => JSON.parse(line) as Mapped);
}

/** A client with the key that an import created for a name. */
export async function clientOf({ run }: TestFleet, mappingFile: string, name: string): Promise<TestClient> {
  const apiKey = (await readMapping(mappingFile)).find((each) => each.name === name)?.key;
  assert.ok(apiKey, `the mapping has ${name}`);
  return createTestClient({ baseUrl: run.base_url, apiKey });
}
