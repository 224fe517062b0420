import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { pythonPackages } from "@uag/harness/fleet/python-packages";
import { readSamples, type Sample } from "@uag/harness/fleet/samples";
import { withTemporaryDir } from "@uag/harness/fleet/temporary-dir";
import type { TestFleet } from "@uag/harness/fleet/with-fleet";
import { repoRoot } from "@uag/local/paths";
import { codeSamples, shownBaseUrl } from "@uag/router/openapi/examples/code-samples";
import { examples } from "@uag/router/openapi/examples/examples";
import { square } from "@uag/router/openapi/examples/square";
import { allRoutes, nameOf } from "@uag/router/openapi/routes";

const run = promisify(execFile);
const languages = ["sh", "js", "python"] as const;
type Language = (typeof languages)[number];

const commands: Readonly<Record<Language, (code: string) => [string, ...string[]]>> = {
  sh: (code) => ["sh", "-eu", "-c", code],
  js: (code) => [process.execPath, "--input-type=module", "--eval", code],
  python: (code) => ["python3", "-c", code],
};

/** The modules that the Python samples import. */
const packages = ["openai==3.54.0", "anthropic==2.12.0", "requests==2.32.5"];

/** Runs samples as a reader would, with the SDKs; returns the errors of the samples that fail. */
async function faultsOf(samples: readonly Sample[], { run: { api_key, admin } }: TestFleet): Promise<string[]> {
  const faults: string[] = [];
  await withTemporaryDir(async (cwd) => {
    await symlink(join(repoRoot, "services/dev/e2e/node_modules"), join(cwd, "node_modules"));
    await writeFile(join(cwd, "square.png"), Buffer.from(square, "base64"));
    const Pythonpath = await pythonPackages("python-samples-1", packages);
    const env = { ...process.env, PYTHONPATH: Pythonpath, API_KEY: api_key, ADMIN_TOKEN: admin.token };
    for (const { at, language, code, expect } of samples) {
      const [command, ...args] = commands[language](code);
      const ran = await run(command, args, { cwd, env, timeout: 180_000 }).catch((error) => error);
      if (ran.code !== undefined || !ran.stdout.includes(expect))
        faults.push(`${at}: not '${expect}':\n${ran.stdout}${ran.stderr}`);
    }
  });
  return faults;
}

/** The reference's samples, except those that refer to objects of the recorded gateway. */
function referenceSamples(baseUrl: string): Sample[] {
  const ofRecorded = /\/(?:acct|key|tok|whs|req|gr|del)_|account_id|acct_|[0-9a-f]{8}-[0-9a-f]{4}-|request_id=/;
  return allRoutes.flatMap((route) => {
    const [first] = examples.filter(({ operation }) => operation === nameOf(route));
    const { value } = first?.response ?? {};
    const expect = typeof value === "object" ? (Object.keys(value as object)[0] ?? "") : "";
    return codeSamples(route)
      .filter(({ source }) => !ofRecorded.test(source))
      .map(({ source }, index) => ({
        at: `${nameOf(route)} in the reference`,
        language: languages[index] ?? "sh",
        code: source.replaceAll(shownBaseUrl, baseUrl),
        expect,
      }));
  });
}

/** Checks that samples copied from the documents and the reference run unchanged. */
export function sampleTests(get: () => TestFleet): void {
  for (const language of languages) {
    test(`every ${language} sample in the README and the guides runs unchanged and prints its expected output`, async () => {
      const samples = (await readSamples(get().run.base_url)).filter((sample) => sample.language === language);
      assert.ok(samples.length > 0);
      assert.deepEqual(await faultsOf(samples, get()), []);
    });

    test(`every ${language} sample in the reference runs unchanged`, async () => {
      const samples = referenceSamples(get().run.base_url).filter((sample) => sample.language === language);
      assert.ok(samples.length > 20, `${samples.length} samples`);
      assert.deepEqual(await faultsOf(samples, get()), []);
    });
  }
}
