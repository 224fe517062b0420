import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { audit } from "@uag/harness/audit/audit";
import { type Fleet, startFleet } from "@uag/local/service";
import { fail, UserError } from "@uag/local/terminal/step";
import { javascriptAgents, llmCommand } from "./agents.ts";
import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { geminiCli } from "./gemini-cli.ts";
import { javascriptSpeech } from "./javascript.ts";
import { liteLlm } from "./litellm.ts";
import { clientMatrix } from "./matrix/run.ts";
import { mcpClients } from "./mcp.ts";
import { pythonSdks } from "./python.ts";
import { s3Server } from "./s3.ts";

const programs: Readonly<Record<string, Program>> = {
  python: pythonSdks,
  javascript: javascriptSpeech,
  claude: claudeCode,
  codex,
  gemini: geminiCli,
  agents: javascriptAgents,
  llm: llmCommand,
  litellm: liteLlm,
  mcp: mcpClients,
  s3: s3Server,
};

const help = `Runs programs that are not in the test suite, because they take long to install, against their own fleet.
Ends with the audit.

  npm run clients -- [--only <name>] [--matrix]

  python      the official Python SDKs of OpenAI, Anthropic and Google; the audio files are checked with FFmpeg
  javascript  OpenAI's SDK for JavaScript writing speech to files, checked with FFmpeg
  claude      Claude Code with and without a tool call, and with tools of the gateway's MCP server
  codex       Codex with a tool call, with models of four protocols
  gemini      Gemini CLI with a tool call, with models of three protocols
  agents      agents of LangChain and of OpenAI's Agents SDK for JavaScript
  llm         the llm command of PyPI
  litellm     LiteLLM's library, with each of its protocols
  mcp         the MCP server with the protocol's conformance suite and inspector, and with FastMCP
  s3          the store of hosted files on a third-party S3 server (moto)

  --only <name>  only this program; may be repeated
  --matrix       instead runs every SDK with every text model, with and without streaming and tools; writes
                 gateway/src/docs/guides/clients.md
`;

type Program = (dir: string, fleet: Fleet) => Promise<void>;

function programNamed(name: string): Program {
  const program = programs[name];
  if (program === undefined) throw new UserError(`Unknown client '${name}'.\n\n${help}`);
  return program;
}

async function runClients(selected: readonly Program[]): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), "clients-"));
  try {
    await using fleet = await startFleet({ dataDir: join(dir, "data") });
    for (const program of selected) await program(dir, fleet);
    const { violations } = await audit({ run: fleet.run, dataDir: fleet.dataDir });
    process.stdout.write(violations.length === 0 ? "audit: exact\n" : `${violations.join("\n")}\n`);
    if (violations.length > 0) process.exitCode = 1;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

try {
  const options = {
    help: { type: "boolean" },
    only: { type: "string", multiple: true },
    matrix: { type: "boolean" },
  } as const;
  const { values } = parseArgs({ options });
  if (values.help) process.stdout.write(help);
  else if (values.matrix) await runClients([clientMatrix]);
  else await runClients((values.only ?? Object.keys(programs)).map(programNamed));
} catch (error) {
  fail(error);
}
