import { GatewayError } from "@uag/contract/errors/gateway-error";
import express, { type Express, type RequestHandler, Router } from "express";
import type { Dispatcher } from "undici";
import type { AdminApi } from "./admin-api/client.ts";
import { adminProxy } from "./admin-api/proxy.ts";
import type { HintHub } from "./hints/hub.ts";
import { hintRoutes } from "./hints/routes.ts";
import { checkOrigin } from "./http/origin.ts";
import { renderErrors } from "./http/refuse.ts";
import { type RequestLimits, RequestPools } from "./http/request-pools.ts";
import { securityHeaders } from "./http/security-headers.ts";
import { type AddressConfirmer, addressRoutes } from "./people/addresses.ts";
import { authenticate, personOf } from "./people/authenticate.ts";
import { invitationRoutes, openInvitationRoutes } from "./people/invitations.ts";
import { userRoutes } from "./people/users.ts";
import { playgroundProxy } from "./playground/proxy.ts";
import type { Oidc } from "./sign-in/oidc.ts";
import { oidcRoutes } from "./sign-in/oidc-routes.ts";
import type { SignInParts } from "./sign-in/parts.ts";
import { passwordResetRoutes } from "./sign-in/password-resets.ts";
import { ownRoutes, signInRoutes } from "./sign-in/routes.ts";
import { requireTwoFactor, twoFactorRoutes } from "./two-factor/routes.ts";
import { webPages } from "./web/pages.ts";

export interface AppOptions extends SignInParts {
  readonly api: AdminApi;
  readonly dispatcher: Dispatcher;
  /** Undefined where no provider is configured. */
  readonly oidc: Oidc | undefined;
  readonly hints: HintHub;
  /** Undefined without an address of notifications. */
  readonly notifications: AddressConfirmer | undefined;
  readonly adminUrl: string;
  /** The console's own admin token. */
  readonly ownToken: string;
  readonly gatewayUrl: string;
  readonly contentOrigins: readonly string[];
  /** Folder of the built web half. */
  readonly webDir: string;
  readonly requestLimits: RequestLimits;
}

/** All middleware of `/console`, in order. */
export function createApp(options: AppOptions): Express {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.enable("case sensitive routing");
  app.set("query parser", false);
  app.use(count(options));
  app.use(new RequestPools(options.requestLimits, options.sessions).enter);
  app.use(securityHeaders(options.contentOrigins));
  app.use("/console/api", apiOf(options));
  app.use("/console", webPages(options.webDir));
  app.use(() => {
    throw new GatewayError("not_found");
  });
  app.use(renderErrors(options.events));
  return app;
}

/** Counts responses. */
function count({ events }: AppOptions): RequestHandler {
  return (_request, response, next) => {
    response.once("close", () => events.responded(response.statusCode));
    next();
  };
}

function apiOf(options: AppOptions): Router {
  const { store, sessions, api, credentials, dispatcher, gatewayUrl } = options;
  const router = Router({ caseSensitive: true });
  router.use((_request, response, next) => {
    response.setHeader("cache-control", "no-store");
    next();
  });
  const { oidc } = options;
  // A cross-site navigation: the browser returns from the provider here.
  if (oidc !== undefined) router.use(oidcRoutes({ ...options, oidc }));
  router.use((request, _response, next) => {
    checkOrigin(request);
    next();
  });
  router.get("/sign-in", async (_request, response) => {
    const reset = await options.mail.isConfigured();
    response.json({ password: true, password_reset: reset, oidc: oidc === undefined ? null : { label: oidc.label } });
  });
  router.use(signInRoutes(options));
  router.use(passwordResetRoutes(options));
  router.use(openInvitationRoutes(options));
  router.use(addressRoutes(options));
  router.use(authenticate({ store }));
  router.use(ownRoutes(options));
  router.use(twoFactorRoutes(options));
  router.use(requireTwoFactor(options));
  router.use(userRoutes(options));
  router.use(invitationRoutes(options));
  router.use(hintRoutes(options.hints, sessions));
  router.use(adminProxy({ ...options, personOf }));
  router.use("/gateway", playgroundProxy({ api, credentials, personOf, dispatcher, gatewayUrl }));
  router.use(() => {
    throw new GatewayError("not_found");
  });
  return router;
}
