import { commaList, commonSettings, lingerSetting, natsSettings } from "@uag/runtime/config";
import { z } from "zod";

const count = z.coerce.number().int().positive();
const url = z.url({ protocol: /^https?$/ });

/** The console's settings. It serves plain HTTP, behind the router. */
export const schema = z.object({
  ...commonSettings,
  PORT: z.coerce.number().int().min(0).max(65535).default(0).describe("Port of /console; 0 picks a free one."),
  MONGODB_URL: z.string().min(1).describe("MongoDB replica set, as `mongodb://host:port/?replicaSet=name`."),
  MONGODB_DATABASE: z.string().min(1).default("console").describe("Database of users, sessions and invitations."),
  ...natsSettings,
  BILLING_ADDR: z.string().describe("gRPC address of billing, whose audit log records sign-ins and changes of users."),
  VIDEO_ADDR: z
    .string()
    .min(1)
    .optional()
    .describe("gRPC address of video, which sends confirmation mails. Unset: their links do not work."),
  GATEWAY_URL: url.describe("The public API, as this process reaches it: a router."),
  ADMIN_URL: url.describe(
    "The admin API, as this process reaches it: a router's operators' port, `/admin/v1` included.",
  ),
  CONSOLE_ADMIN_TOKEN: z
    .string()
    .min(24)
    .describe(
      "Admin token of the role operator; it makes the short-lived ones of users, and proves to the router who reports their addresses.",
    ),
  PUBLIC_URL: url.optional().describe("Where clients reach the public server; GATEWAY_URL when unset."),
  FIRST_EMAIL: z.string().min(3).default("admin@localhost").describe("E-mail address of the first operator."),
  FIRST_PASSWORD: z
    .string()
    .min(12)
    .optional()
    .describe("The first operator's password. Counts only while there are no users at all."),
  OIDC_ISSUER: url.optional().describe("Issuer of an OpenID Connect provider that people may sign in with."),
  OIDC_CLIENT_ID: z
    .string()
    .min(1)
    .optional()
    .describe("Our client id there. Redirect URI: `/console/api/oidc/callback`."),
  OIDC_CLIENT_SECRET: z.string().min(1).optional().describe("Our client secret there; none for a public client."),
  OIDC_LABEL: z.string().max(60).default("single sign-on").describe("The provider's name on the sign-in button."),
  OIDC_SCOPES: z.string().default("openid email profile").describe("Scopes that are requested, space-separated."),
  OIDC_ROLE_CLAIM: z.string().default("groups").describe("Claim whose values give a person's role."),
  OIDC_ROLES: commaList
    .default([])
    .pipe(
      z.array(
        z
          .string()
          .regex(
            /^[^=]+=(?:operator|auditor|(?:owner|member|auditor):[\w.:-]+)$/,
            "is `value=role` or `value=role:account`",
          ),
      ),
    )
    .describe(
      "Roles by the claim's values, the first that fits: `admins=operator,team=owner:acct_1`. Others may not enter.",
    ),
  SESSION_IDLE_MS: count.default(12 * 3_600_000).describe("How long a session may rest before it ends."),
  SESSION_MAX_MS: count.default(7 * 86_400_000).describe("When a session ends at the latest."),
  MAX_OPEN: count.default(512).describe("Most requests of signed-in users open at once; more get a 503."),
  MAX_OPEN_PER_USER: count.default(48).describe("Most requests of one user open at once; more get a 429."),
  MAX_OPEN_SIGNED_OUT: count
    .default(128)
    .describe("Most requests without a session open at once, a quarter of them from one network."),
  SIGNED_OUT_MS: count
    .default(5_000)
    .describe("How long the body of a request without a session may take, milliseconds."),
  CONTENT_ORIGINS: commaList
    .default(["https:"])
    .describe(
      "Comma-separated sources of responses' images, audio and videos in addition to the gateway: origins, or `https:` for any host.",
    ),
  WEB_DIR: z.string().optional().describe("Folder of the built web half; `web/dist` beside the sources when unset."),
  ...lingerSetting,
  DRAIN_MS: count.default(20_000).describe("How long stopping waits for requests under way."),
});

export type ConsoleSettings = z.infer<typeof schema>;
