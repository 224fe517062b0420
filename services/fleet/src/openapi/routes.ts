import { type AdminRoute, adminRoutes, type Route, routes } from "@uag/contract/routes.ts";
import type { DocumentName } from "@uag/gateway/docs/documents.ts";

/** A row of either table. */
export type AnyRoute = Route | AdminRoute;

/** The routes of each document. */
export const routesOf: Readonly<Record<DocumentName, readonly AnyRoute[]>> = { public: routes, admin: adminRoutes };

export const allRoutes: readonly AnyRoute[] = [...routes, ...adminRoutes];

/** The name that the table of routes has for what is asked. */
export const nameOf = (route: AnyRoute): string => ("query" in route ? route.query : route.operation);
