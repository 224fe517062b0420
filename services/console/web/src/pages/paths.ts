/** The path of every page behind the sign-in; the first is the overview. */
export const pagePaths = [
  "/",
  "/keys",
  "/usage",
  "/billing",
  "/billing/$month",
  "/models",
  "/playground",
  "/webhooks",
  "/members",
  "/audit-log",
  "/accounts",
  "/unpriced",
  "/fleet",
  "/prices",
  "/providers",
  "/provider-bills",
  "/profile",
] as const;

export type PagePath = (typeof pagePaths)[number];
