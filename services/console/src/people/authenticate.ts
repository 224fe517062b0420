import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { NextFunction, Request, RequestHandler, Response } from "express";
import { requestIdOf } from "../http/refuse.ts";
import { isCsrfToken, type OpenSession } from "../sign-in/sessions.ts";
import type { Store } from "../store/store.ts";
import type { UserDocument } from "../store/users.ts";
import type { Person } from "./person.ts";

export const sessionCookie = "console_session";

/** The person whose request it is. @throws {Error} without a session: a bug */
export type PersonOf = (response: Response) => Person;

export const personOf: PersonOf = (response) => {
  const { person } = response.locals as { person?: Person };
  if (person === undefined) throw new Error("the request is not signed in");
  return person;
};

const notSignedIn = (): GatewayError =>
  new GatewayError("invalid_api_key", "You are not signed in, or your session has ended.");

/** The client's address, as the router received it. */
export const addressOf = (request: Request): string =>
  String(request.headers["x-forwarded-for"] ?? request.socket.remoteAddress ?? "");

/** The session that a request's cookie opens, as `RequestPools` has found it. */
export type OpenedBy = OpenSession | undefined;

/**
 * Requires a session; a request that changes something also needs the session's CSRF token.
 */
export function authenticate({ store }: { readonly store: Pick<Store, "users"> }): RequestHandler {
  return async (request: Request, response: Response, next: NextFunction) => {
    const { opened: found } = response.locals as { opened?: OpenedBy };
    if (found === undefined) throw notSignedIn();
    const user = await store.users.findOne({ _id: found.session.userId, disabled: false }).lean<UserDocument>();
    if (user === null) throw notSignedIn();
    const isRead = request.method === "GET" || request.method === "HEAD";
    if (!isRead && !isCsrfToken(request.get("x-csrf-token"), found.cookie))
      throw new GatewayError("permission_denied", "The x-csrf-token does not match the session.");
    const actor = {
      id: user._id,
      name: user.email,
      requestId: requestIdOf(request),
      clientAddress: addressOf(request),
    };
    response.locals["person"] = { ...found, user, actor } satisfies Person;
    next();
  };
}
