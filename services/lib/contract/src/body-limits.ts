import { requestBodies } from "./request-body.ts";
import { type BodyKind, routes } from "./routes.ts";

/** Maximum request body of a kind over all routes, bytes. */
export function maxBodyBytesOfKind(kind: BodyKind): number {
  return Math.max(...routes.map(({ body, maxBodyBytes }) => (body === kind ? maxBodyBytes : 0)));
}

const bodyLimits: ReadonlyMap<string, number> = new Map(
  routes.flatMap((route) => ("operation" in route ? [[route.operation, route.maxBodyBytes]] : [])),
);

/**
 * Maximum request body of a capability's operation, bytes.
 * @throws {Error} for an operation without a route
 */
export function maxBodyBytesOf(operation: string): number {
  const limit = bodyLimits.get(operation);
  if (limit === undefined) throw new Error(`no route has the operation ${operation}`);
  return limit;
}

/**
 * Maximum request bodies, bytes, of paths served by an HTTP service behind the router. The console
 * accepts the playground's images; before sign-in it reads only 16 KiB.
 */
export const mountBodyLimits = {
  "/assets": 0,
  "/mcp": requestBodies.json.maxBodyBytes / 2,
  "/console": requestBodies.json.maxBodyBytes,
} as const;
