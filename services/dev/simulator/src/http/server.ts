import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type ControlContext, control } from "../control/routes.ts";
import { readBody } from "./body.ts";
import { createRouter } from "./router.ts";
import { type ServeContext, serve } from "./serve.ts";
import type { JsonReply, Provider, Reply } from "./types.ts";

export type ServerContext = ServeContext & ControlContext & { readonly providers: readonly Provider[] };

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(status, { "content-type": "application/json", "content-length": bytes.length }).end(bytes);
}

function sendPlain(response: ServerResponse, reply: Reply): void {
  const none: JsonReply = { type: "json", status: 404, body: {} };
  const { status, body, headers } = reply.type === "json" ? reply : none;
  for (const [name, value] of Object.entries(headers ?? {})) response.setHeader(name, value);
  sendJson(response, status, body);
}

async function route(
  context: ServerContext,
  find: ReturnType<typeof createRouter>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const method = request.method ?? "GET";
  const url = new URL(`http://simulator${request.url?.startsWith("/") ? request.url : "/"}`);
  if (url.pathname.startsWith("/sim/")) {
    const read = await readBody(request, context.maxBodyBytes);
    const reply = control(method, url, read.kind === "read" ? read.bytes : Buffer.alloc(0), context);
    return sendJson(response, reply.status, reply.body);
  }
  const match = find(method, url.pathname);
  if (match === undefined) return sendJson(response, 404, { error: "no provider is simulated at this path" });
  if (match.route !== undefined) return serve(context, match, url, request, response);
  request.resume();
  sendPlain(response, match.provider.protocol.notFound(method, url.pathname.slice(match.provider.prefix.length)));
}

/** The HTTP server of all providers and of the control API; not yet listening. */
export function createSimulatorServer(context: ServerContext): Server {
  const find = createRouter(context.providers);
  const server = createServer({ keepAliveTimeout: 120_000 }, (request, response) => {
    route(context, find, request, response).catch((cause: unknown) => {
      process.stderr.write(`simulator: internal error at ${request.method} ${request.url}: ${describe(cause)}\n`);
      if (response.headersSent) response.destroy();
      else sendJson(response, 500, { error: "simulator: internal error" });
    });
  });
  return server;
}

function describe(cause: unknown): string {
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
}
