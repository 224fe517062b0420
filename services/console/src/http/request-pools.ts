import { OpenRequests } from "@uag/runtime/open-requests";
import { networkOf } from "@uag/untrusted/http/network";
import type { NextFunction, Request, RequestHandler, Response } from "express";
import { addressOf, type OpenedBy, sessionCookie } from "../people/authenticate.ts";
import type { OpenSession, Sessions } from "../sign-in/sessions.ts";
import { cookieOf } from "./cookies.ts";

export interface RequestLimits {
  /** Requests of signed-in users open at once. */
  readonly maxOpen: number;
  /** Those of one user, over all their sessions. */
  readonly maxOpenPerUser: number;
  /** Requests without a session open at once. */
  readonly maxStrangers: number;
  /** How long such a request's body may take, milliseconds. */
  readonly strangerMs: number;
}

/** A request without a session may be open this many times as long as its body may take. */
const responseFactor = 4;
/** The share of requests without a session that one network may have. */
const networkShare = 0.25;

/**
 * Limits the requests that are open at once, in two pools: no user can take
 * another's share, and requests without a session have a small pool, each for a few seconds.
 */
export class RequestPools {
  readonly #limits: RequestLimits;
  readonly #sessions: Pick<Sessions, "find">;
  readonly #users: OpenRequests;
  readonly #networks: OpenRequests;

  constructor(limits: RequestLimits, sessions: Pick<Sessions, "find">) {
    this.#limits = limits;
    this.#sessions = sessions;
    const { maxOpen, maxOpenPerUser, maxStrangers } = limits;
    this.#users = new OpenRequests({ perKey: maxOpenPerUser, total: { max: maxOpen, setting: "MAX_OPEN" } });
    const total = { max: maxStrangers, setting: "MAX_OPEN_SIGNED_OUT" };
    this.#networks = new OpenRequests({ perKey: Math.ceil(maxStrangers * networkShare), total });
  }

  /**
   * Finds the request's session, and counts it for as long as the request is open. Nothing of
   * its body is read before.
   * @throws {GatewayError} `service_unavailable` when its pool is full, `too_many_open_requests`
   * when its user's or network's share is
   */
  readonly enter: RequestHandler = async (request: Request, response: Response, next: NextFunction) => {
    const opened = await this.#sessions.find(cookieOf(request, sessionCookie));
    // While the session was looked up the client may have left: no close event follows.
    if (response.destroyed) return;
    const leave = opened === undefined ? this.#enterStranger(request, response) : this.#enterUser(opened);
    response.once("close", leave);
    response.locals["opened"] = opened satisfies OpenedBy;
    next();
  };

  #enterUser({ session: { userId } }: OpenSession): () => void {
    this.#users.enter(userId);
    return () => this.#users.leave(userId);
  }

  #enterStranger(request: Request, response: Response): () => void {
    const { strangerMs } = this.#limits;
    const network = networkOf(addressOf(request));
    this.#networks.enter(network);
    response.locals["bodyDeadline"] = Date.now() + strangerMs;
    const end = setTimeout(() => response.destroy(), strangerMs * responseFactor).unref();
    return () => {
      clearTimeout(end);
      this.#networks.leave(network);
    };
  }
}

/** When the request's body has to be there, Unix milliseconds; undefined for a signed-in user. */
export const bodyDeadlineOf = ({ res }: Request): number | undefined =>
  (res?.locals as { bodyDeadline?: number } | undefined)?.bodyDeadline;
