import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  type RouteComponent,
  redirect,
  retainSearchParams,
} from "@tanstack/react-router";
import { ApiError } from "./api/error.ts";
import type { PagePath } from "./pages/paths.ts";
import { fromSearch, type SearchReader } from "./search.ts";
import { mayOpen, NotForRoleError } from "./session/readers.ts";
import { mustSetUpTwoFactor, type Session, sessionQuery } from "./session/session.ts";
import { SignInPage } from "./session/sign-in-page.tsx";
import { NotFound } from "./ui/not-found.tsx";
import { PageError } from "./ui/page-error.tsx";
import { PageSkeleton } from "./ui/page-skeleton.tsx";

interface Context {
  readonly client: QueryClient;
}

const root = createRootRouteWithContext<Context>()({ component: Outlet });

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: fromSearch({ next: "text", ended: "flag", error: "text" }),
  // What people see first is in the first script.
  component: SignInPage,
});

const invitation = createRoute({
  getParentRoute: () => root,
  path: "/invitations/$token",
  component: lazyRouteComponent(() => import("./session/invitation-page.tsx"), "InvitationPage"),
});

const confirmAddress = createRoute({
  getParentRoute: () => root,
  path: "/confirm-address",
  component: lazyRouteComponent(() => import("./session/confirm-address-page.tsx"), "ConfirmAddressPage"),
});

const forgotPassword = createRoute({
  getParentRoute: () => root,
  path: "/forgot-password",
  component: lazyRouteComponent(() => import("./session/forgot-password-page.tsx"), "ForgotPasswordPage"),
});

const resetPassword = createRoute({
  getParentRoute: () => root,
  path: "/reset-password",
  component: lazyRouteComponent(() => import("./session/reset-password-page.tsx"), "ResetPasswordPage"),
});

/** The session, for a page that needs one. @throws a redirect to the sign-in without one */
async function openSessionOf(client: QueryClient, href: string): Promise<Session> {
  try {
    return await client.ensureQueryData(sessionQuery);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
    throw redirect({ to: "/sign-in", search: { next: href === "/" ? undefined : href } });
  }
}

const twoFactor = createRoute({
  getParentRoute: () => root,
  path: "/two-factor",
  beforeLoad: async ({ context, location }) => {
    if (!mustSetUpTwoFactor(await openSessionOf(context.client, location.href))) throw redirect({ to: "/profile" });
  },
  component: lazyRouteComponent(() => import("./session/two-factor-page.tsx"), "TwoFactorPage"),
});

const accountSearch = fromSearch({ account: "text" });

const app = createRoute({
  getParentRoute: () => root,
  id: "app",
  // The account that everything is shown of stays in the address from page to page.
  validateSearch: (search: Record<string, unknown>): ReturnType<typeof accountSearch> => accountSearch(search),
  search: { middlewares: [retainSearchParams(["account"])] },
  beforeLoad: async ({ context, location }) => {
    const session = await openSessionOf(context.client, location.href);
    if (mustSetUpTwoFactor(session)) throw redirect({ to: "/two-factor" });
    return { session };
  },
  component: lazyRouteComponent(() => import("./shell/shell.tsx"), "Shell"),
});

/** A page behind the sign-in, with what its address may say, for those whose role has it. */
function page<P extends PagePath, S extends SearchReader>(path: P, search: S, component: RouteComponent) {
  return createRoute({
    getParentRoute: () => app,
    path,
    validateSearch: fromSearch(search),
    beforeLoad: ({ context }: { readonly context: { readonly session: Session } }): void => {
      if (!mayOpen(path, context.session.user)) throw new NotForRoleError();
    },
    component,
  });
}

const index = createRoute({
  getParentRoute: () => app,
  path: "/",
  beforeLoad: ({ context }: { readonly context: { readonly session: Session } }): void => {
    // A member sees own keys only, and no money of the account.
    if (!mayOpen("/", context.session.user)) throw redirect({ to: "/keys" });
  },
  component: lazyRouteComponent(() => import("./pages/overview/overview-page.tsx"), "OverviewPage"),
});

const keys = page(
  "/keys",
  { q: "text", status: "text", sort: "text", page: "number", key: "text" },
  lazyRouteComponent(() => import("./pages/keys/keys-page.tsx"), "KeysPage"),
);
const usage = page(
  "/usage",
  {
    range: "text",
    from: "text",
    until: "text",
    by: "text",
    show: "text",
    model: "text",
    key: "text",
    operation: "text",
    provider: "text",
    outcome: "text",
    status: "text",
    code: "text",
    tag: "text",
    cost: "text",
    ms: "text",
    id: "text",
    columns: "text",
    reason: "text",
    request: "text",
  },
  lazyRouteComponent(() => import("./pages/usage/usage-page.tsx"), "UsagePage"),
);
const billing = page(
  "/billing",
  { envelope: "text", envelopes: "text" },
  lazyRouteComponent(() => import("./pages/billing/billing-page.tsx"), "BillingPage"),
);
const statement = page(
  "/billing/$month",
  {},
  lazyRouteComponent(() => import("./pages/billing/statement-page.tsx"), "StatementPage"),
);
const models = page(
  "/models",
  { q: "text", does: "text", sort: "text", page: "number", compare: "text", model: "text" },
  lazyRouteComponent(() => import("./pages/models/models-page.tsx"), "ModelsPage"),
);
const playground = page(
  "/playground",
  { mode: "text", models: "text" },
  lazyRouteComponent(() => import("./pages/playground/playground-page.tsx"), "PlaygroundPage"),
);
const webhooks = page(
  "/webhooks",
  { state: "text", delivery: "text", alert: "text" },
  lazyRouteComponent(() => import("./pages/webhooks/webhooks-page.tsx"), "WebhooksPage"),
);
const audit = page(
  "/audit-log",
  { action: "text", target: "text" },
  lazyRouteComponent(() => import("./pages/audit/audit-page.tsx"), "AuditPage"),
);
const members = page(
  "/members",
  {},
  lazyRouteComponent(() => import("./pages/members/members-page.tsx"), "MembersPage"),
);
const profile = page(
  "/profile",
  {},
  lazyRouteComponent(() => import("./pages/profile/profile-page.tsx"), "ProfilePage"),
);
const accounts = page(
  "/accounts",
  { q: "text", sort: "text", page: "number" },
  lazyRouteComponent(() => import("./pages/accounts/accounts-page.tsx"), "AccountsPage"),
);
const unpriced = page(
  "/unpriced",
  {},
  lazyRouteComponent(() => import("./pages/unpriced/unpriced-page.tsx"), "UnpricedPage"),
);

const fleet = page(
  "/fleet",
  {},
  lazyRouteComponent(() => import("./pages/fleet/fleet-page.tsx"), "FleetPage"),
);

const bills = page(
  "/provider-bills",
  { provider: "text", day: "text" },
  lazyRouteComponent(() => import("./pages/bills/bills-page.tsx"), "BillsPage"),
);

const prices = page(
  "/prices",
  { model: "text" },
  lazyRouteComponent(() => import("./pages/prices/prices-page.tsx"), "PricesPage"),
);

const providers = page(
  "/providers",
  { provider: "text" },
  lazyRouteComponent(() => import("./pages/providers/providers-page.tsx"), "ProvidersPage"),
);

const routeTree = root.addChildren([
  signIn,
  invitation,
  confirmAddress,
  forgotPassword,
  resetPassword,
  twoFactor,
  app.addChildren([
    index,
    keys,
    usage,
    billing,
    statement,
    models,
    playground,
    webhooks,
    audit,
    members,
    profile,
    accounts,
    unpriced,
    fleet,
    bills,
    prices,
    providers,
  ]),
]);

export function createAppRouter(client: QueryClient) {
  return createRouter({
    routeTree,
    basepath: "/console",
    context: { client },
    defaultPreload: "intent",
    defaultPendingMs: 200,
    defaultPendingComponent: PageSkeleton,
    defaultErrorComponent: PageError,
    defaultNotFoundComponent: NotFound,
    scrollRestoration: true,
  });
}

/**
 * Loads the scripts of the address's page now. The router itself loads them after the session,
 * because a visitor without one does not need them.
 */
export function loadParts(router: ReturnType<typeof createAppRouter>): void {
  const [matched] = router.getMatchedRoutes(router.latestLocation.pathname);
  for (const route of matched) void router.loadRouteChunk(route);
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
