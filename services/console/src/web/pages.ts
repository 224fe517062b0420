import { existsSync } from "node:fs";
import { join } from "node:path";
import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import express, { Router } from "express";

const notBuilt = `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="3"><title>Console</title>
<h1>The console is not built yet</h1>
<p><code>npm start</code> builds it from <code>services/console/web</code> as soon as the gateway is ready, and says so
or why it cannot. This page loads again by itself.</p>
<p>Its API answers at <code>/console/api</code>, and the gateway at <code>/v1</code>.</p>
</html>
`;

/**
 * The built web half: hashed files for ever, and the page itself for every other path of the
 * application.
 */
export function webPages(dir: string): Router {
  const index = join(dir, "index.html");
  const router = Router();
  router.use(
    "/assets",
    express.static(join(dir, "assets"), { immutable: true, maxAge: "365d", index: false, fallthrough: true }),
  );
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
