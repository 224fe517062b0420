import { z } from "zod";
import { maxPasswordLength, minPasswordLength } from "./passwords.ts";

const maxEmailLength = 254;
export const email = z
  .string()
  .max(maxEmailLength)
  .transform((text) => text.trim().toLowerCase());
export const newPassword = z
  .string()
  .min(minPasswordLength, `A password has ${minPasswordLength} characters or more.`)
  .max(maxPasswordLength, `A password has at most ${maxPasswordLength} characters.`);
export const personName = z.string().trim().max(100, "A name has at most 100 characters.");
/** A code of a second factor: six digits, or a recovery code. */
export const secondFactorCode = z.string().trim().min(1).max(40);
