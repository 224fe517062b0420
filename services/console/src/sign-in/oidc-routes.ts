import { GatewayError } from "@uag/contract/errors/gateway-error";
import { isDuplicate } from "@uag/mongo/errors";
import { queryOf } from "@uag/runtime/http/target";
import { newId } from "@uag/runtime/ids";
import { type Request, type Response, Router } from "express";
import { z } from "zod";
import { clearCookie, cookieOf, setCookie } from "../http/cookies.ts";
import { requestIdOf } from "../http/refuse.ts";
import { addressOf } from "../people/authenticate.ts";
import type { UserDocument } from "../store/users.ts";
import type { Oidc, OidcPerson, PendingSignIn } from "./oidc.ts";
import { openSession } from "./open-session.ts";
import type { SignInParts } from "./parts.ts";

type Parts = SignInParts & { readonly oidc: Oidc };

const cookie = "console_oidc";
const pendingMs = 600_000;
const maxTargetLength = 8_192;

const pendingShape = z.object({ state: z.string(), nonce: z.string(), verifier: z.string(), returnTo: z.string() });

/** `/oidc/start` sends the browser to the provider, `/oidc/callback` is where it comes back. */
export function oidcRoutes(parts: Parts): Router {
  const router = Router();
  router.get("/oidc/start", (request, response) => start(request, response, parts));
  router.get("/oidc/callback", (request, response) => callback(request, response, parts));
  return router;
}

/** A path of the console, whatever was requested: this is no open redirect. */
function returnPath(requested: string | null): string {
  return requested !== null && /^\/console\/(?!\/)[\w\-./?=&%~]{0,500}$/.test(requested) ? requested : "/console/";
}

async function start(request: Request, response: Response, { oidc }: Parts): Promise<void> {
  const { url, pending } = await oidc.begin(returnPath(queryOf(request.originalUrl).get("return_to")));
  const text = Buffer.from(JSON.stringify(pending)).toString("base64url");
  setCookie(request, response, cookie, text, pendingMs);
  response.redirect(303, url.href);
}

function pendingOf(request: Request): PendingSignIn {
  const text = Buffer.from(cookieOf(request, cookie) ?? "", "base64url").toString();
  const { success, data } = pendingShape.safeParse(text.startsWith("{") ? JSON.parse(text) : undefined);
  if (success) return data;
  throw new GatewayError("invalid_request", "The sign-in expired or was started in another browser.");
}

/** The browser is not at a page that could show an error here: it is redirected to one. */
async function callback(request: Request, response: Response, parts: Parts): Promise<void> {
  const { audit, events } = parts;
  try {
    const pending = pendingOf(request);
    clearCookie(request, response, cookie);
    if (request.originalUrl.length > maxTargetLength) throw new GatewayError("invalid_request");
    const query = `?${queryOf(request.originalUrl)}`;
    const user = await userOf(await parts.oidc.end(query, pending), parts);
    await openSession(request, response, { parts, user, by: "oidc" });
    response.redirect(303, pending.returnTo);
  } catch (error) {
    const from = { requestId: requestIdOf(request), clientAddress: addressOf(request) };
    audit.signInFailed(null, from);
    events.oidcFailed(error, from.requestId);
    const code = error instanceof GatewayError ? error.code : "invalid_request";
    response.redirect(303, `/console/sign-in?error=${code}`);
  }
}

/**
 * The user of a person at the provider, created at the first sign-in; the role follows the current
 * claims.
 */
async function userOf(person: OidcPerson, { store }: SignInParts): Promise<UserDocument> {
  const { subject, role, accountId } = person;
  const fresh = { _id: newId("usr"), email: person.email, name: person.name, createdAt: new Date() };
  const user = await store.users
    .findOneAndUpdate(
      { subject },
      { $set: { role, accountId }, $setOnInsert: { ...fresh, subject, disabled: false, password: null } },
      { upsert: true, returnDocument: "after" },
    )
    .lean<UserDocument>()
    .catch((error: unknown) => {
      if (!isDuplicate(error)) throw error;
      throw new GatewayError("already_exists", "A user with this address uses another sign-in method.");
    });
  if (user === null || user.disabled) throw new GatewayError("permission_denied", "You may no longer sign in.");
  return user;
}
