import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { createClient } from "@hey-api/openapi-ts";
import type { SharedFleet } from "@uag/harness/fleet/shared-fleet";
import { withTemporaryDir } from "@uag/harness/fleet/temporary-dir";
import { runTool } from "@uag/local/engines/run-tool";
import { repoRoot } from "@uag/local/paths";
import { openApiFile } from "@uag/router/openapi/file";

/**
 * Code of a developer who has only the document. It uses the generated types, so a wrong type does
 * not compile.
 */
const program = `
import { createClient } from "./client/index.ts";
import { createChatCompletion, listModels } from "./index.ts";
import type { ChatCompletion, Model } from "./index.ts";

const client = createClient({ baseUrl: process.env["BASE_URL"] ?? "", auth: process.env["API_KEY"] ?? "" });
const models = await listModels({ client, throwOnError: true });
const listed: Model[] = models.data.data;
const chat = await createChatCompletion({
  client,
  throwOnError: true,
  body: { model: "gpt-4o-mini", messages: [{ role: "user", content: "say: hello" }] },
});
const completion: ChatCompletion = chat.data;
const text: string | null | undefined = completion.choices[0]?.message.content;
// @ts-expect-error messages are required
const refused = await createChatCompletion({ client, body: { model: "gpt-4o-mini" } });
const ids: string[] = listed.map(({ id }) => id);
process.stdout.write(JSON.stringify({ ids, text, code: refused.error }));
`;

const compilerOptions = {
  strict: true,
  noUncheckedIndexedAccess: true,
  noEmit: true,
  target: "es2024",
  lib: ["es2024", "dom", "dom.iterable"],
  module: "nodenext",
  allowImportingTsExtensions: true,
  types: ["node"],
  typeRoots: [join(repoRoot, "node_modules/@types")],
};

async function run(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const { code, output } = await runTool(process.execPath, args, { env: { ...process.env, ...env } });
  assert.equal(code, 0, output);
  return output;
}

interface ClientReport {
  readonly ids: readonly string[];
  readonly text: string;
  readonly code: { readonly error: { readonly code: string } };
}

/** A client generated from the committed OpenAPI document of the public API. */
export function generatedClientTest(here: () => SharedFleet): void {
  test("a client generated from the document compiles under strict, lists models, chats and reads errors", () =>
    withTemporaryDir(async (dir) => {
      await createClient({
        input: openApiFile("public"),
        output: { path: dir, module: { extension: ".ts" } },
        plugins: ["@hey-api/client-fetch", "@hey-api/typescript", "@hey-api/sdk"],
        logs: { level: "silent", file: false },
      });
      const main = join(dir, "main.ts");
      await writeFile(main, program);
      await writeFile(join(dir, "package.json"), '{"type":"module"}');
      await writeFile(join(dir, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["main.ts"] }));
      await run([join(repoRoot, "node_modules/typescript/bin/tsc"), "-p", dir]);
      const { base_url: gatewayUrl, api_key: apiKey } = here().run;
      const report = JSON.parse(await run([main], { BASE_URL: gatewayUrl, API_KEY: apiKey })) as ClientReport;
      const { data } = (await here().client.get("/v1/models")).json<{ data: readonly { id: string }[] }>();
      assert.deepEqual(
        report.ids,
        data.map(({ id }) => id),
      );
      assert.equal(report.text, "hello");
      assert.equal(report.code.error.code, "invalid_request");
    }));
}
