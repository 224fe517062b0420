import { type AdminRoute, adminRoutes, type Route, routes } from "@uag/contract/routes";
import type { DocumentName } from "../docs/documents.ts";

/** A row of either table of routes. */
export type AnyRoute = Route | AdminRoute;

/** The routes of each document. */
export const routesOf: Readonly<Record<DocumentName, readonly AnyRoute[]>> = { public: routes, admin: adminRoutes };

export const allRoutes: readonly AnyRoute[] = [...routes, ...adminRoutes];

/** True for a route whose requests are billed, if only at zero. */
export const isBilled = (route: AnyRoute): boolean => "billing" in route && route.billing !== "none";

/** The operation's name in the table of routes. */
export const nameOf = (route: AnyRoute): string => ("query" in route ? route.query : route.operation);

/** Names of the operations whose requests are billed. */
export const billedOperations: ReadonlySet<string> = new Set(routes.filter(isBilled).map(nameOf));
