import { z } from "zod";
import { email } from "../sign-in/fields.ts";
import { keyLimits } from "./key-limits.ts";
import { assignmentFields } from "./manage.ts";

/** Body of `PATCH /api/users/:id`. */
export const updateUserRequest = z
  .strictObject({ ...assignmentFields, disabled: z.boolean(), key_limits: keyLimits })
  .partial()
  .refine((fields) => Object.keys(fields).length > 0, "Set at least one field to change.");

/** Body of `POST /api/invitations`. */
export const createInvitationRequest = z.strictObject({
  email: email.refine((text) => /^[^\s@]+@[^\s@]+$/.test(text), "Must be an e-mail address."),
  role: assignmentFields.role,
  account_id: assignmentFields.account_id.default(null),
});
