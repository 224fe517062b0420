import { createHash, randomBytes } from "node:crypto";
import type { Request, Response } from "express";
import { cookieOf, setCookie } from "../http/cookies.ts";
import type { Store } from "../store/store.ts";
import type { UserTokenDocument } from "../store/user-tokens.ts";

const cookieName = "console_device";
const cookieBytes = 32;
const cookiePattern = /^[\w-]{43}$/;
const lifetimeMs = 180 * 86_400_000;

const digestOf = (cookie: string): string => createHash("sha256").update(cookie).digest("base64url");

function digestIn(request: Request): string | undefined {
  const cookie = cookieOf(request, cookieName);
  return cookie !== undefined && cookiePattern.test(cookie) ? digestOf(cookie) : undefined;
}

/**
 * Browsers in which users have signed in, by a cookie that outlives sessions: guesses from
 * elsewhere do not delay a sign-in from there.
 * https://owasp.org/www-community/Slow_Down_Online_Guessing_Attacks_with_Device_Cookies
 */
export class Devices {
  readonly #devices: Store["devices"];

  constructor({ devices }: Pick<Store, "devices">) {
    this.#devices = devices;
  }

  /** The id of the request's browser when the user has signed in there; undefined when not. */
  async known(request: Request, userId: string | undefined): Promise<string | undefined> {
    const id = digestIn(request);
    if (id === undefined || userId === undefined) return undefined;
    const found = await this.#devices
      .findOne({ _id: id, userId, endsAt: { $gt: new Date() } })
      .lean<UserTokenDocument>();
    return found?._id;
  }

  /** Remembers the request's browser after a sign-in. */
  async remember(request: Request, response: Response, userId: string): Promise<void> {
    const endsAt = new Date(Date.now() + lifetimeMs);
    const known = await this.known(request, userId);
    if (known !== undefined) {
      await this.#devices.updateOne({ _id: known }, { $set: { endsAt } });
      return;
    }
    const cookie = randomBytes(cookieBytes).toString("base64url");
    await this.#devices.create([{ _id: digestOf(cookie), userId, endsAt }]);
    setCookie(request, response, cookieName, cookie, lifetimeMs);
  }

  /** Forgets all of a user's browsers: after a new password, and when the user is removed. */
  async forget(userId: string): Promise<void> {
    await this.#devices.deleteMany({ userId });
  }
}
