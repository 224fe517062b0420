import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Fleet } from "@uag/local/service";
import { installPython, installTimeoutMs, run } from "./tool.ts";

const packages = ["@modelcontextprotocol/conformance@0.1.16", "@modelcontextprotocol/inspector@2.12.0"];
const fastmcp = "fastmcp==4.0.0";

/**
 * Scenarios of the conformance suite that need no fixture; services/mcp/README.md lists what the
 * others need.
 */
const scenarios = [
  "server-initialize",
  "ping",
  "tools-list",
  "resources-list",
  "server-sse-multiple-streams",
  "dns-rebinding-protection",
];

/**
 * The tool server with the protocol's own conformance suite and inspector, and with FastMCP's
 * client.
 */
export async function mcpClients(dir: string, fleet: Fleet): Promise<void> {
  const timeout = installTimeoutMs;
  await run("npm", ["install", "--prefix", dir, "--ignore-scripts", "--silent", ...packages], { timeout });
  await conformance(dir, fleet);
  await inspector(dir, fleet);
  await python(dir, fleet);
}

const programTimeoutMs = 120_000;

async function conformance(dir: string, fleet: Fleet): Promise<void> {
  const program = join(dir, "node_modules/@modelcontextprotocol/conformance/dist/index.js");
  await using proxy = await withKey(fleet);
  for (const scenario of scenarios) {
    const args = [program, "server", "--url", proxy.url, "--scenario", scenario];
    // It exits with 1 if a check fails.
    await run(process.execPath, args, { cwd: dir, timeout: programTimeoutMs });
  }
  process.stdout.write(`MCP conformance: ${scenarios.join(", ")} pass\n`);
}

/** The suite cannot send a key, so a proxy adds it. */
async function withKey({ run: { base_url, api_key } }: Fleet): Promise<AsyncDisposable & { url: string }> {
  const server = createServer((incoming, response) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${api_key}` };
    const { method, url } = incoming;
    const outgoing = request(`${base_url}${url}`, { ...(method && { method }), headers }, (inner) => {
      response.writeHead(inner.statusCode ?? 502, inner.headers);
      inner.pipe(response);
    });
    outgoing.once("error", () => response.destroy());
    incoming.pipe(outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}/mcp`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function inspector(dir: string, { run: { mcp_url, api_key } }: Fleet): Promise<void> {
  const program = join(dir, "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js");
  const header = `Authorization: Bearer ${api_key}`;
  const call = async (...args: string[]): Promise<string> => {
    const common = [program, "--cli", mcp_url, "--transport", "http", "--header", header];
    return (await run(process.execPath, [...common, ...args], { cwd: dir, timeout: programTimeoutMs })).stdout;
  };
  const listed = await call("--method", "tools/list");
  const called = await call("--method", "tools/call", "--tool-name", "get_quota");
  if (!listed.includes('"generate_image"') || !called.includes('"left_usd"'))
    throw new Error(`unexpected output of the MCP inspector:\n${listed}\n${called}`);
  process.stdout.write("MCP inspector: lists the tools and calls one\n");
}

const program = `
import asyncio, sys
from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport

async def main(url, key):
    async with Client(StreamableHttpTransport(url, headers={"Authorization": f"Bearer {key}"})) as client:
        assert await client.ping()
        names = [tool.name for tool in await client.list_tools()]
        assert "synthesize_speech" in names, names
        arguments = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "hello"}]}
        response = await client.call_tool("chat", arguments)
        assert response.structured_content["usage"]["total_tokens"] > 0, response
        speech = await client.call_tool("synthesize_speech", {"model": "alpha3-tts-flash", "text": "hello"})
        assert speech.content[0].type == "audio", speech
        quota = await client.read_resource("gateway://quota")
        assert "left_usd" in quota[0].text, quota
        print(len(names))

asyncio.run(main(*sys.argv[1:]))
`;

async function python(dir: string, { run: { mcp_url, api_key } }: Fleet): Promise<void> {
  const venv = join(dir, "mcp-venv");
  await installPython(venv, [fastmcp]);
  const args = ["-c", program, mcp_url, api_key];
  const { stdout } = await run(`${venv}/bin/python`, args, { timeout: programTimeoutMs });
  process.stdout.write(`FastMCP (Python): ${stdout.trim()} tools; a ping, chat, speech and a resource\n`);
}
