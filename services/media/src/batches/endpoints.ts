import { formerName } from "@uag/contract/former-operations";
import { type ForwardRoute, routes, type ServiceName } from "@uag/contract/routes";
import type { LinkClient } from "@uag/link/client";

import type { BatchEndpoint } from "./batch.ts";

/** The end of a service's links that opens exchanges. */
export type Opener = Pick<LinkClient, "open">;

/** Links to the services that run the requests of batches. */
export type BatchLinks = Readonly<Partial<Record<ServiceName, Opener>>>;

/** How requests of an endpoint are sent. */
export interface Target {
  readonly link: Opener;
  /** The operation's name on the link. */
  readonly operation: string;
}

function routeOf(path: BatchEndpoint): ForwardRoute {
  const route = routes.find((one) => one.method === "POST" && one.path === path);
  if (route === undefined || !("service" in route)) throw new Error(`no service has the path ${path}`);
  return route;
}

/** Beside its body, a line has an id, a method and a path. */
const envelopeBytes = 4 * 1024;

/** The longest line of an input file, bytes: the endpoint's largest body, and what is beside it. */
export const maxLineBytesOf = (path: BatchEndpoint): number => routeOf(path).maxBodyBytes + envelopeBytes;

/** @throws {Error} when there is no link to the endpoint's service */
export function targetOf(links: BatchLinks, path: BatchEndpoint): Target {
  const { service, operation } = routeOf(path);
  const link = links[service];
  if (link === undefined) throw new Error(`there is no link to ${service}`);
  return { link, operation: formerName(operation) };
}
