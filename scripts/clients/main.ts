import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { audit } from "../../services/fleet/src/audit/audit.ts";
import { type Fleet, startFleet } from "../../services/fleet/src/service.ts";

const help = `Runs clients that the test suite leaves out, because installing them takes long, against a fleet of their own:
the official Python SDKs of OpenAI and Anthropic, and Claude Code with a tool call. Ends with the audit.

  npm run clients
`;

const versions = { openai: "3.52.0", anthropic: "2.11.0", claudeCode: "2.1.197" };
const timeout = 300_000;
const run = promisify(execFile);

async function pythonSdks(dir: string, fleet: Fleet): Promise<void> {
  const bin = join(dir, "venv/bin");
  await run("python3", ["-m", "venv", join(dir, "venv")], { timeout });
  const packages = [`openai==${versions.openai}`, `anthropic==${versions.anthropic}`];
  await run(join(bin, "pip"), ["install", "--quiet", ...packages], { timeout });
  const script = join(import.meta.dirname, "python_sdks.py");
  const { stdout } = await run(join(bin, "python"), [script, join(fleet.dataDir, "run.json")], { timeout });
  process.stdout.write(stdout);
}

/** One turn in which the model calls the shell: the file that the command writes is the proof. */
async function claudeCode(dir: string, fleet: Fleet): Promise<void> {
  const name = `@anthropic-ai/claude-code@${versions.claudeCode}`;
  await run("npm", ["install", "--prefix", dir, "--ignore-scripts", "--silent", name], { timeout });
  const binary = join(dir, `node_modules/@anthropic-ai/claude-code-linux-${process.arch}/claude`);
  const proof = join(dir, "proof");
  const prompt = `call Bash {"command":"echo called > ${proof}","description":"Writes a file"}`;
  const env = {
    PATH: process.env["PATH"],
    HOME: dir,
    ANTHROPIC_BASE_URL: fleet.run.base_url,
    ANTHROPIC_AUTH_TOKEN: fleet.run.api_key,
    ANTHROPIC_MODEL: "claude-sonnet-4-6",
    ANTHROPIC_DEFAULT_HAIKU_MODEL: "claude-haiku-4-5",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  };
  const going = run(binary, ["-p", prompt, "--allowedTools", "Bash"], { cwd: dir, env, timeout: 120_000 });
  going.child.stdin?.end();
  const { stdout } = await going;
  if ((await readFile(proof, "utf8")) !== "called\n") throw new Error(`Claude Code did not run its tool: ${stdout}`);
  process.stdout.write(`Claude Code ${versions.claudeCode}: a turn with a tool call\n`);
}

const { values } = parseArgs({ options: { help: { type: "boolean" } } });
if (values.help) process.stdout.write(help);
else {
  const dir = await mkdtemp(join(tmpdir(), "clients-"));
  try {
    await using fleet = await startFleet({ dataDir: join(dir, "data") });
    await pythonSdks(dir, fleet);
    await claudeCode(dir, fleet);
    const { violations } = await audit({ run: fleet.run, dataDir: fleet.dataDir });
    process.stdout.write(violations.length === 0 ? "audit: exact\n" : `${violations.join("\n")}\n`);
    if (violations.length > 0) process.exitCode = 1;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
