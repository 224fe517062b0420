/**
 * The baseline of the benchmark: express with http-proxy-middleware and one key, a minimal gateway.
 * It checks the key and forwards; it does not meter, limit or record.
 */
import { Agent, createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { createRequire } from "node:module";
import { serveParent } from "./child.ts";

type Handler = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;
type Express = () => RequestListener & { use(handler: Handler): void; disable(setting: string): void };
interface ProxyMiddleware {
  createProxyMiddleware(options: { target: string; agent: Agent; changeOrigin: boolean }): Handler;
}

// The gateway's own versions of both, so that the comparison uses the libraries that the gateway is
// built with.
const require = createRequire(new URL("../../gateway/package.json", import.meta.url));
// biome-ignore lint/correctness/noUndeclaredDependencies: it is the gateway's, resolved from there
const express: Express = require("express");
// biome-ignore lint/correctness/noUndeclaredDependencies: it is the gateway's, resolved from there
const { createProxyMiddleware }: ProxyMiddleware = require("http-proxy-middleware");

const [upstream, key] = process.argv.slice(2);
if (upstream === undefined || key === undefined) throw new Error("usage: baseline.ts <upstream origin> <key>");

const app = express();
app.disable("x-powered-by");
app.use((request, response, next) => {
  if (request.headers.authorization === `Bearer ${key}`) return next();
  response.writeHead(401, { "content-type": "application/json" });
  response.end('{"error":{"message":"wrong key","type":"authentication_error","code":"invalid_api_key","param":null}}');
});
app.use(createProxyMiddleware({ target: upstream, agent: new Agent({ keepAlive: true }), changeOrigin: true }));

const server = createServer(app);
server.listen({ port: 0, host: "127.0.0.1", backlog: 4_096 }, () => serveParent(server));
