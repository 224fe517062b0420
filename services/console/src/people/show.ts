import type { SessionDocument } from "../store/sessions.ts";
import type { UserDocument } from "../store/users.ts";

export const showUser = (user: UserDocument) => ({
  id: user._id,
  email: user.email,
  name: user.name,
  role: user.role,
  account_id: user.accountId,
  language: user.language,
});

/** A user in responses to those who manage users. */
export const showMember = (user: UserDocument) => ({
  object: "console_user" as const,
  ...showUser(user),
  disabled: user.disabled,
  two_factor: user.twoFactor !== undefined,
  key_limits: user.keyLimits ?? {},
  created_at: user.createdAt.toISOString(),
  last_sign_in_at: user.lastSignInAt?.toISOString() ?? null,
});

export const showSession = (session: SessionDocument, currentId: string) => ({
  object: "console_session" as const,
  id: session._id,
  current: session._id === currentId,
  created_at: session.createdAt.toISOString(),
  last_seen_at: session.seenAt.toISOString(),
  expires_at: session.endsAt.toISOString(),
  address: session.address,
  user_agent: session.userAgent,
});
