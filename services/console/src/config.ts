import { commaList, commonSettings, lingerSetting, natsSettings } from "@uag/runtime/config";
import { previousSecrets } from "@uag/runtime/keyring";
import { z } from "zod";
import { roles } from "./store/users.ts";

const count = z.coerce.number().int().positive();
const totpKey = z.string().regex(/^[0-9a-fA-F]{64}$/, "must be 32 bytes in hex");
const url = z.url({ protocol: /^https?$/ });

/** The console's settings. It serves plain HTTP, behind the router. */
export const schema = z.object({
  ...commonSettings,
  PORT: z.coerce.number().int().min(0).max(65535).default(0).describe("Port of /console; 0 picks a free one."),
  MONGODB_URL: z.string().min(1).describe("MongoDB replica set, as `mongodb://host:port/?replicaSet=name`."),
  MONGODB_DATABASE: z.string().min(1).default("console").describe("Database of users, sessions and invitations."),
  ...natsSettings,
  BILLING_ADDR: z.string().describe("gRPC address of billing, whose audit log records sign-ins and changes of users."),
  NOTIFICATIONS_ADDR: z
    .string()
    .min(1)
    .optional()
    .describe(
      "gRPC address of notifications, which sends mail: invitations, password resets and confirmations. Unset: none is sent.",
    ),
  GATEWAY_URL: url.describe("The public API, as this process reaches it: a router."),
  ADMIN_URL: url.describe(
    "The admin API, as this process reaches it: a router's operators' port, `/admin/v1` included.",
  ),
  CONSOLE_ADMIN_TOKEN: z
    .string()
    .min(24)
    .describe(
      "Admin token of the role operator. The console creates its users' short-lived tokens with it, and reports their addresses to the router under it.",
    ),
  PUBLIC_URL: url.optional().describe("Where clients reach the public server; GATEWAY_URL when unset."),
  FIRST_EMAIL: z.string().min(3).default("admin@localhost").describe("E-mail address of the first operator."),
  FIRST_PASSWORD: z
    .string()
    .min(12)
    .optional()
    .describe("Password of the first operator; used only while no user exists."),
  TOTP_KEY: totpKey
    .optional()
    .describe(
      "Key under which the secrets of authenticator apps are encrypted, 32 bytes in hex. Unset: two-factor authentication is not offered. Users must set it up again when it is lost.",
    ),
  TOTP_KEY_PREVIOUS: previousSecrets(totpKey).describe(
    "Previous values of TOTP_KEY, comma-separated. A secret encrypted under one is re-encrypted when its user signs in.",
  ),
  TWO_FACTOR_ROLES: commaList
    .default([])
    .pipe(z.array(z.enum(roles)))
    .describe(
      "Roles whose users with a password must use two-factor authentication, such as `operator`; comma-separated. Requires TOTP_KEY.",
    ),
  OIDC_ISSUER: url.optional().describe("Issuer of an OpenID Connect provider that users may sign in with."),
  OIDC_CLIENT_ID: z
    .string()
    .min(1)
    .optional()
    .describe("Our client id there. Redirect URI: `/console/api/oidc/callback`."),
  OIDC_CLIENT_SECRET: z
    .string()
    .min(1)
    .optional()
    .describe("Client secret at that provider; unset for a public client."),
  OIDC_LABEL: z.string().max(60).default("single sign-on").describe("The provider's name on the sign-in button."),
  OIDC_SCOPES: z.string().default("openid email profile").describe("Requested scopes, space-separated."),
  OIDC_ROLE_CLAIM: z.string().default("groups").describe("Claim whose values determine a user's role."),
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
  SESSION_IDLE_MS: count.default(12 * 3_600_000).describe("Time without use after which a session ends."),
  SESSION_MAX_MS: count.default(7 * 86_400_000).describe("Maximum age of a session."),
  MAX_OPEN: count.default(512).describe("Maximum open requests of signed-in users; further ones get 503."),
  MAX_OPEN_PER_USER: count.default(48).describe("Maximum open requests of one user; further ones get 429."),
  MAX_OPEN_SIGNED_OUT: count
    .default(128)
    .describe("Maximum open requests without a session, a quarter of them from one network."),
  SIGNED_OUT_MS: count
    .default(5_000)
    .describe("Maximum time for the body of a request without a session, milliseconds."),
  CONTENT_ORIGINS: commaList
    .default(["https:"])
    .describe(
      "Comma-separated sources of responses' images, audio and videos in addition to the gateway: origins, or `https:` for any host.",
    ),
  SIMULATED_PROVIDER_VARIABLES: commaList
    .default([])
    .pipe(z.array(z.string().regex(/^[^=]+=\w*$/, "is `provider=VARIABLE`")))
    .transform((rows) => rows.map((row) => row.split("=") as [string, string]))
    .transform((rows) => rows.map(([provider, variable]) => ({ provider, variable })))
    .describe(
      "Providers that a simulator replaces until they have a key, which the pages mark: `openai=OPENAI_API_KEY`, with the variable of the real one's key; comma-separated.",
    ),
  WEB_DIR: z.string().optional().describe("Folder of the built web half; `web/dist` beside the sources when unset."),
  ...lingerSetting,
  DRAIN_MS: count.default(20_000).describe("How long a stopping process waits for requests in progress."),
});

export type ConsoleSettings = z.infer<typeof schema>;
