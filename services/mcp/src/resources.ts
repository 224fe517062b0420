import type { McpServer } from "@modelcontextprotocol/server";
import type { Exchange } from "./exchange.ts";
import { quotaOf } from "./tools/quota.ts";

const mimeType = "application/json";

/** What a client may put before its model without calling a tool. */
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
