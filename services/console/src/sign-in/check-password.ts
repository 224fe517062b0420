import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { Person } from "../people/person.ts";
import type { SignInParts } from "./parts.ts";

/**
 * Checks the password of a signed-in user before a change to how they sign in. Attempts are limited
 * within the session.
 * @throws {GatewayError} `permission_denied`, naming the field
 */
export async function checkPassword(
  { passwords, throttle }: Pick<SignInParts, "passwords" | "throttle">,
  { user, session, actor }: Person,
  { password, param }: { readonly password: string; readonly param: string },
): Promise<void> {
  const giveBack = await throttle.count({ address: actor.clientAddress, name: user.email, device: session._id });
  if (!(await passwords.matches(password, user.password)))
    throw new GatewayError("permission_denied", "The current password is incorrect.", { param });
  await giveBack();
}
