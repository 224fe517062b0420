import type { Actor } from "../audit.ts";
import type { OpenSession } from "../sign-in/sessions.ts";
import type { UserDocument } from "../store/users.ts";

/** Who makes a request: a user with a session. */
export interface Person extends OpenSession {
  readonly user: UserDocument;
  readonly actor: Actor;
}
