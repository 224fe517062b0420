import type { McpServer } from "@modelcontextprotocol/server";
import type { Exchange } from "./exchange.ts";
import { quotaOf } from "./tools/quota.ts";

const mimeType = "application/json";

/** Resources that a client can give its model without a tool call. */
export function registerResources(server: McpServer, exchange: Exchange): void {
  server.registerResource(
    "models",
    "gateway://models",
    { title: "Model catalogue", description: "The models this key may use, with prices.", mimeType },
    ({ href: uri }) => ({ contents: [{ uri, mimeType, text: JSON.stringify({ models: exchange.models }) }] }),
  );
  server.registerResource(
    "quota",
    "gateway://quota",
    { title: "Quota", description: "What this key may spend, has spent and has left.", mimeType },
    async ({ href: uri }) => {
      const quota = await quotaOf(exchange, exchange.signal);
      return { contents: [{ uri, mimeType, text: JSON.stringify(quota) }] };
    },
  );
}
