import { GatewayError } from "@uag/contract/errors/gateway-error";
import { type Request, type RequestHandler, type Response, Router } from "express";
import { z } from "zod";
import { readChecked } from "../http/read-json.ts";
import { personOf } from "../people/authenticate.ts";
import type { Person } from "../people/person.ts";
import { checkPassword } from "../sign-in/check-password.ts";
import { secondFactorCode } from "../sign-in/fields.ts";
import type { SignInParts } from "../sign-in/parts.ts";
import { maxPasswordLength } from "../sign-in/passwords.ts";

const password = z.string().max(maxPasswordLength);
const begun = z.strictObject({ password });
const confirmed = z.strictObject({ code: secondFactorCode });
const proved = z.strictObject({ password, code: secondFactorCode });

/** A user's own second factor. */
export function twoFactorRoutes(parts: SignInParts): Router {
  const router = Router();
  router.post("/two-factor", (request, response) => begin(request, response, parts));
  router.post("/two-factor/confirm", (request, response) => confirm(request, response, parts));
  router.post("/two-factor/recovery-codes", (request, response) => renewCodes(request, response, parts));
  router.post("/two-factor/disable", (request, response) => disable(request, response, parts));
  return router;
}

/**
 * Lets only users pass who have the second factor that their role needs; others can set it up and
 * sign out.
 */
export function requireTwoFactor({ twoFactor }: Pick<SignInParts, "twoFactor">): RequestHandler {
  return (_request, response, next) => {
    if (twoFactor.isMissing(personOf(response).user))
      throw new GatewayError("permission_denied", "Your role requires two-factor authentication. Set it up first.");
    next();
  };
}

async function begin(request: Request, response: Response, parts: SignInParts): Promise<void> {
  const person = personOf(response);
  const given = await readChecked(request, begun);
  await checkPassword(parts, person, { password: given.password, param: "password" });
  const { secret, uri } = await parts.twoFactor.begin(person.user);
  response.status(201).json({ object: "console_two_factor_secret", secret, uri });
}

const incorrect = (): GatewayError =>
  new GatewayError("permission_denied", "The code is incorrect or was used before.", { param: "code" });

const codesOf = (codes: readonly string[]) => ({ object: "console_recovery_codes" as const, data: codes });

/** Enables the second factor. The user's other sessions end: one may be the reason to enable it. */
async function confirm(request: Request, response: Response, parts: SignInParts): Promise<void> {
  const { twoFactor, throttle, sessions, credentials } = parts;
  const person = personOf(response);
  const { user, session } = person;
  const { code } = await readChecked(request, confirmed);
  const forgive = await throttle.countCode(user._id, session._id);
  if (!twoFactor.isPendingCode(user, code)) throw incorrect();
  await forgive();
  await record(parts, person, "console.two_factor_enable");
  const codes = await twoFactor.enable(user, code);
  await credentials.revoke(await sessions.endAll(user._id, session._id));
  response.json(codesOf(codes));
}

/** Checks the password and a code of the second factor. */
async function prove(request: Request, person: Person, parts: SignInParts): Promise<void> {
  const { twoFactor, throttle } = parts;
  const { user, session } = person;
  const given = await readChecked(request, proved);
  if (user.twoFactor === undefined) throw new GatewayError("not_found", "Two-factor authentication is not enabled.");
  await checkPassword(parts, person, { password: given.password, param: "password" });
  const forgive = await throttle.countCode(user._id, session._id);
  if ((await twoFactor.use(user, given.code)) === undefined) throw incorrect();
  await forgive();
}

async function renewCodes(request: Request, response: Response, parts: SignInParts): Promise<void> {
  const person = personOf(response);
  await prove(request, person, parts);
  await record(parts, person, "console.recovery_codes_renew");
  response.json(codesOf(await parts.twoFactor.renewRecoveryCodes(person.user._id)));
}

async function disable(request: Request, response: Response, parts: SignInParts): Promise<void> {
  const person = personOf(response);
  if (parts.twoFactor.isRequired(person.user))
    throw new GatewayError("permission_denied", "Your role requires two-factor authentication.");
  await prove(request, person, parts);
  await record(parts, person, "console.two_factor_disable");
  await parts.twoFactor.remove(person.user._id);
  response.status(204).end();
}

async function record({ audit }: SignInParts, { actor, user }: Person, action: `console.${string}`): Promise<void> {
  await audit.record(actor, { action, targetId: user._id, accountId: user.accountId });
}
