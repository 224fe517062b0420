import { GatewayError } from "@uag/contract/errors/gateway-error";
import { type Request, type Response, Router } from "express";
import { z } from "zod";
import { clearCookie } from "../http/cookies.ts";
import { readChecked } from "../http/read-json.ts";
import { requestIdOf } from "../http/refuse.ts";
import { addressOf, personOf, sessionCookie } from "../people/authenticate.ts";
import { showSession, showUser } from "../people/show.ts";
import type { UserDocument } from "../store/users.ts";
import { checkPassword } from "./check-password.ts";
import { email, newPassword, personName, secondFactorCode } from "./fields.ts";
import { openSession, showOpenSession } from "./open-session.ts";
import type { SignInParts } from "./parts.ts";
import { maxPasswordLength } from "./passwords.ts";

const credentials = z.strictObject({
  email,
  password: z.string().max(maxPasswordLength),
  code: secondFactorCode.optional(),
});
const changedPassword = z.strictObject({ current: z.string().max(maxPasswordLength), new: newPassword });
const changedUser = z
  .strictObject({
    name: personName,
    language: z
      .string()
      .regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,2}$/, "The language must be en or zh-CN.")
      .nullable(),
  })
  .partial();

/** Routes that need no session. */
export function signInRoutes(parts: SignInParts): Router {
  const router = Router();
  router.post("/session", (request, response) => signIn(request, response, parts));
  return router;
}

/** A person's own session, sessions, password and name. */
export function ownRoutes(parts: SignInParts): Router {
  const router = Router();
  router.get("/session", async (_request, response) => {
    const { user, ...open } = personOf(response);
    response.json(await showOpenSession(parts, user, open));
  });
  router.delete("/session", (request, response) => signOut(request, response, parts));
  router.get("/sessions", async (_request, response) => {
    const { user, session } = personOf(response);
    const data = (await parts.sessions.ofUser(user._id)).map((one) => showSession(one, session._id));
    response.json({ object: "list", data });
  });
  router.delete("/sessions/:id", (request, response) => endSession(request, response, parts));
  router.post("/password", (request, response) => changePassword(request, response, parts));
  router.patch("/user", (request, response) => changeUser(request, response, parts));
  return router;
}

async function signIn(request: Request, response: Response, parts: SignInParts): Promise<void> {
  const { store, passwords, throttle, devices, audit, twoFactor } = parts;
  const given = await readChecked(request, credentials);
  const address = addressOf(request);
  const user = await store.users.findOne({ email: given.email, disabled: false }).lean<UserDocument>();
  const device = await devices.known(request, user?._id);
  const giveBack = await throttle.count({ address, name: given.email, device });
  if (!(await passwords.matches(given.password, user?.password)) || user === null) {
    audit.signInFailed(user, { requestId: requestIdOf(request), clientAddress: address });
    throw new GatewayError("invalid_api_key", "The email address or password is incorrect.");
  }
  await giveBack();
  if (user.twoFactor === undefined)
    return void response.status(201).json(await openSession(request, response, { parts, user, by: "password" }));
  // The page asks for the code, and sends it with the password.
  if (given.code === undefined) return void response.json({ object: "console_second_factor" });
  const forgive = await throttle.countCode(user._id, device);
  const factor = await twoFactor.use(user, given.code);
  if (factor === undefined) {
    audit.signInFailed(user, { requestId: requestIdOf(request), clientAddress: address });
    throw new GatewayError("invalid_api_key", "The code is incorrect or was used before.", { param: "code" });
  }
  await forgive();
  response.status(201).json(await openSession(request, response, { parts, user, by: "password", factor }));
}

async function signOut(
  request: Request,
  response: Response,
  { sessions, credentials, audit }: SignInParts,
): Promise<void> {
  const { user, session, actor } = personOf(response);
  await audit.record(actor, { action: "console.sign_out", targetId: user._id, accountId: user.accountId });
  const ended = await sessions.end(user._id, session._id);
  clearCookie(request, response, sessionCookie);
  if (ended !== undefined) await credentials.revoke([ended]);
  response.status(204).end();
}

async function endSession(
  request: Request,
  response: Response,
  { sessions, credentials, audit }: SignInParts,
): Promise<void> {
  const { user, session, actor } = personOf(response);
  const id = String(request.params["id"]);
  const ended = await sessions.end(user._id, id);
  if (ended === undefined) throw new GatewayError("not_found", "The session does not exist.", { param: "id" });
  await audit.record(actor, { action: "console.session_end", targetId: id, accountId: user.accountId });
  if (id === session._id) clearCookie(request, response, sessionCookie);
  await credentials.revoke([ended]);
  response.status(204).end();
}

/** A new password ends all other sessions, and rotates this one's cookie. */
async function changePassword(request: Request, response: Response, parts: SignInParts): Promise<void> {
  const { store, passwords, sessions, credentials, devices, audit } = parts;
  const person = personOf(response);
  const { user, actor } = person;
  const given = await readChecked(request, changedPassword);
  await checkPassword(parts, person, { password: given.current, param: "current" });
  await audit.record(actor, { action: "console.password_change", targetId: user._id, accountId: user.accountId });
  await store.users.updateOne({ _id: user._id }, { $set: { password: await passwords.hash(given.new) } });
  const ended = await sessions.endAll(user._id);
  await devices.forget(user._id);
  const opened = await openSession(request, response, { parts, user, by: "password" });
  void credentials.revoke(ended);
  response.json(opened);
}

async function changeUser(request: Request, response: Response, parts: SignInParts): Promise<void> {
  const { store } = parts;
  const { user } = personOf(response);
  const { name, language } = await readChecked(request, changedUser);
  const set = { ...(name !== undefined && { name }), ...(language !== undefined && { language }) };
  const after = await store.users
    .findOneAndUpdate({ _id: user._id }, { $set: set }, { returnDocument: "after" })
    .lean<UserDocument>();
  if (after === null) throw new GatewayError("not_found");
  response.json(showUser(after));
}
