import type { Request, Response } from "express";
import { cookieOf, setCookie } from "../http/cookies.ts";
import { requestIdOf } from "../http/refuse.ts";
import { addressOf, sessionCookie } from "../people/authenticate.ts";
import { showUser } from "../people/show.ts";
import type { UserDocument } from "../store/users.ts";
import type { Factor } from "../two-factor/two-factor.ts";
import type { SignInParts } from "./parts.ts";
import { csrfTokenOf, type OpenSession } from "./sessions.ts";

/** A session in the response to its own user. */
export async function showOpenSession(
  { baseUrl, version, simulated, twoFactor }: SignInParts,
  user: UserDocument,
  { session, cookie }: OpenSession,
) {
  return {
    object: "console_session" as const,
    user: showUser(user),
    csrf_token: csrfTokenOf(cookie),
    expires_at: session.endsAt.toISOString(),
    console: { version },
    base_url: baseUrl,
    simulated: await simulated.now(),
    two_factor: twoFactor.show(user),
  };
}

/**
 * Opens a session for an authenticated user; the browser's previous one ends.
 * @param options.by how the user has authenticated
 * @param options.factor their second factor; none where none is set up
 */
export async function openSession(
  request: Request,
  response: Response,
  {
    parts,
    user,
    by,
    factor,
  }: {
    parts: SignInParts;
    user: UserDocument;
    by: "password" | "oidc" | "invitation";
    factor?: Factor | undefined;
  },
): ReturnType<typeof showOpenSession> {
  const { sessions, credentials, devices, audit, store, events } = parts;
  const actor = { id: user._id, name: user.email, requestId: requestIdOf(request), clientAddress: addressOf(request) };
  await audit.record(actor, {
    action: "console.sign_in",
    targetId: user._id,
    accountId: user.accountId,
    after: { by, ...(factor !== undefined && { second_factor: factor }) },
  });
  const before = await sessions.find(cookieOf(request, sessionCookie));
  const ended = before && (await sessions.end(before.session.userId, before.session._id));
  if (ended !== undefined) void credentials.revoke([ended]);
  const from = { address: addressOf(request), userAgent: request.get("user-agent") ?? "" };
  const opened = await sessions.open(user._id, from);
  await store.users.updateOne({ _id: user._id }, { $set: { lastSignInAt: new Date() } });
  await devices.remember(request, response, user._id);
  const lifetimeMs = opened.session.endsAtLatest.getTime() - Date.now();
  setCookie(request, response, sessionCookie, opened.cookie, lifetimeMs);
  events.signedIn(by);
  return await showOpenSession(parts, user, opened);
}
