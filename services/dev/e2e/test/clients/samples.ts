import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { adminApi } from "@uag/cli/commands/admin-api";
import { pythonPackages } from "@uag/harness/fleet/python-packages";
import { readSamples, type Sample } from "@uag/harness/fleet/samples";
import type { SharedFleet } from "@uag/harness/fleet/shared-fleet";
import { withTemporaryDir } from "@uag/harness/fleet/temporary-dir";
import { repoRoot } from "@uag/local/paths";
import { codeSamples, shownBaseUrl } from "@uag/router/openapi/examples/code-samples";
import { examples } from "@uag/router/openapi/examples/examples";
import { square } from "@uag/router/openapi/examples/square";
import { tone } from "@uag/router/openapi/examples/tone";
import { allRoutes, nameOf } from "@uag/router/openapi/routes";

const execute = promisify(execFile);
const languages = ["sh", "js", "python"] as const;
type Language = (typeof languages)[number];
const timeoutMs = 180_000;

/** Runs samples one after another, each in a namespace of its own: importing the SDKs takes seconds. */
const pythonRunner = `
import contextlib, io, json, sys, traceback
results = []
for code in json.load(sys.stdin):
    output, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
        try:
            exec(compile(code, "sample", "exec"), {"__name__": "__main__"})
            failed = False
        except BaseException:
            traceback.print_exc()
            failed = True
    results.append({"failed": failed, "stdout": output.getvalue(), "stderr": errors.getvalue()})
json.dump(results, sys.stdout)
`;

interface Ran {
  readonly failed: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

interface Options {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

async function runPrograms(command: string, args: readonly string[], codes: readonly string[], options: Options) {
  const ran: Ran[] = [];
  for (const code of codes) {
    const running = execute(command, [...args, code], { ...options, timeout: timeoutMs });
    const { code: failure, stdout, stderr } = await running.catch((error) => error);
    ran.push({ failed: failure !== undefined, stdout, stderr });
  }
  return ran;
}

async function runPython(codes: readonly string[], options: Options): Promise<Ran[]> {
  const running = execute("python3", ["-c", pythonRunner], { ...options, timeout: timeoutMs });
  running.child.stdin?.end(JSON.stringify(codes));
  return JSON.parse((await running).stdout) as Ran[];
}

const runs: Readonly<Record<Language, (codes: readonly string[], options: Options) => Promise<Ran[]>>> = {
  sh: (codes, options) => runPrograms("sh", ["-eu", "-c"], codes, options),
  js: (codes, options) => runPrograms(process.execPath, ["--input-type=module", "--eval"], codes, options),
  python: runPython,
};

/** The modules that the Python samples import. */
const packages = ["openai==3.54.0", "anthropic==2.12.0", "requests==2.32.5"];

/** Runs samples as a reader would, with the SDKs; returns the errors of the samples that fail. */
async function faultsOf(samples: readonly Sample[], { run: { api_key, admin } }: SharedFleet): Promise<string[]> {
  const faults: string[] = [];
  await withTemporaryDir(async (cwd) => {
    await symlink(join(repoRoot, "services/dev/e2e/node_modules"), join(cwd, "node_modules"));
    await writeFile(join(cwd, "square.png"), Buffer.from(square, "base64"));
    await writeFile(join(cwd, "tone.wav"), tone());
    await writeFile(join(cwd, "notes.txt"), "the first line\n");
    await writeFile(join(cwd, "requests.jsonl"), "{}\n");
    const Pythonpath = await pythonPackages("python-samples-1", packages);
    const env = { ...process.env, PYTHONPATH: Pythonpath, API_KEY: api_key, ADMIN_TOKEN: admin.token };
    for (const [language, some] of Map.groupBy(samples, (sample) => sample.language)) {
      const ran = await runs[language](
        some.map(({ code }) => code),
        { cwd, env },
      );
      for (const [n, { at, expect }] of some.entries()) {
        const { failed, stdout, stderr } = ran[n] ?? assert.fail(`${at} did not run`);
        if (failed || !stdout.includes(expect)) faults.push(`${at}: not '${expect}':\n${stdout}${stderr}`);
      }
    }
  });
  return faults;
}

/** The reference's samples, except those that refer to objects of the recorded gateway. */
function referenceSamples(baseUrl: string): Sample[] {
  const ofRecorded =
    /\/(?:acct|bud|key|tok|whs|req|gr|del|cred|file|resp|env)_|revision|account_id|acct_|[0-9a-f]{8}-[0-9a-f]{4}-|request_id=/;
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
export function sampleTests(get: () => SharedFleet): void {
  for (const language of languages) {
    test(`every ${language} sample in the README and the guides runs unchanged and prints its expected output`, async () => {
      const { run } = get();
      await adminApi(run).call("PATCH", `/accounts/${run.account_id}`, { store_responses: true });
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
