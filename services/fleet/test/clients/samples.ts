import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { repoRoot } from "../../src/paths.ts";
import { readSamples } from "../../src/testing/samples.ts";
import type { TestFleet } from "../../src/testing/with-fleet.ts";

const run = promisify(execFile);
/** Where the SDKs are installed. */
const cwd = join(repoRoot, "services", "fleet");
const commands = {
  sh: (code: string) => ["sh", "-eu", "-c", code],
  js: (code: string) => [process.execPath, "--input-type=module", "--eval", code],
};

/**
 * What people copy out of the documents runs as it stands; the samples in Python do in
 * `npm run clients`.
 */
export function sampleTests(get: () => TestFleet): void {
  for (const language of ["sh", "js"] as const)
    test(`every ${language} sample in the README and the guides runs as it stands and prints what it should`, async () => {
      const { api_key, base_url } = get().run;
      const samples = (await readSamples(base_url)).filter((sample) => sample.language === language);
      assert.ok(samples.length > 0);
      const failed: string[] = [];
      for (const { at, code, expect } of samples) {
        const [command = "", ...args] = commands[language](code);
        const env = { ...process.env, API_KEY: api_key };
        const ran = await run(command, args, { cwd, env, timeout: 60_000 }).catch((error) => error);
        if (ran.code !== undefined || !ran.stdout.includes(expect))
          failed.push(`${at}: not '${expect}':\n${ran.stdout}${ran.stderr}`);
      }
      assert.deepEqual(failed, []);
    });
}
