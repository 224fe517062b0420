import { existsSync } from "node:fs";
import { extname, join } from "node:path";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import express, { type RequestHandler, Router } from "express";

const notBuilt = `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="3"><title>Console</title>
<h1>The console is not built yet</h1>
<p><code>npm start</code> builds it from <code>services/console/web</code> as soon as the gateway is ready, and reports
when it is done or why it failed. This page reloads automatically.</p>
<p>Its API is at <code>/console/api</code>, and the gateway at <code>/v1</code>.</p>
</html>
`;

const caching = { immutable: true, maxAge: "365d" } as const;
/** The smaller one first: browsers list older encodings first. */
const suffixes = { br: ".br", gzip: ".gz" } as const;
const encodings = Object.keys(suffixes) as (keyof typeof suffixes)[];
const types: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Sends the file that the build has compressed, to clients that accept it. */
function sendCompressed(root: string): RequestHandler {
  return (request, response, next) => {
    const type = types[extname(request.path)];
    response.vary("accept-encoding");
    const encoding = encodings.find((name) => request.acceptsEncodings(name) !== false);
    if (type === undefined || encoding === undefined) return next();
    const headers = { "content-encoding": encoding, "content-type": type };
    response.sendFile(request.path + suffixes[encoding], { ...caching, root, headers }, (error) => {
      // Not compressed, or missing; a client that has disconnected needs no response.
      if (error && !response.headersSent) next();
    });
  };
}

/**
 * The built web half: hashed files for ever, and the page itself for every other path of the
 * application.
 */
export function webPages(dir: string): Router {
  const index = join(dir, "index.html");
  const router = Router();
  const assets = join(dir, "assets");
  router.use("/assets", sendCompressed(assets), express.static(assets, { ...caching, index: false }));
  router.use(express.static(dir, { index: false, redirect: false, maxAge: 0 }));
  router.use((request, response) => {
    if (request.method !== "GET" && request.method !== "HEAD") throw new GatewayError("method_not_allowed");
    // A file that is not there is not a page of the application.
    if (/\.[^/]*$/.test(request.path)) throw new GatewayError("not_found");
    response.setHeader("cache-control", "no-cache");
    if (existsSync(index)) response.sendFile(index, { cacheControl: false });
    else response.type("html").send(notBuilt);
  });
  return router;
}
