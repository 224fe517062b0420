import { McpServer } from "@modelcontextprotocol/server";
import type { Exchange } from "./exchange.ts";
import { registerResources } from "./resources.ts";
import { tools } from "./tools/tools.ts";

const info = { name: "unified-ai-gateway", title: "Unified AI Gateway", version: "1.0.0" };

const instructions =
  "Models of many providers behind one key: text, images, video, embeddings, speech. list_models lists the models and their prices; paid calls are marked in their description, and get_quota returns the remaining balance and limits.";

/** The server of one request: it shares no state, so any replica can serve the next. */
export function createToolServer(exchange: Exchange): McpServer {
  const capabilities = { tools: { listChanged: false }, resources: { listChanged: false } };
  const server = new McpServer(info, { instructions, capabilities });
  const operations = new Set(exchange.models.flatMap(({ operations }) => operations));
  for (const tool of tools)
    if (tool.operation === undefined || operations.has(tool.operation)) tool.register(server, exchange);
  registerResources(server, exchange);
  return server;
}
