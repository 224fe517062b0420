import { z } from "zod";
import { longestPassword, shortestPassword } from "./passwords.ts";

const longestEmail = 254;
export const email = z
  .string()
  .max(longestEmail)
  .transform((text) => text.trim().toLowerCase());
export const newPassword = z
  .string()
  .min(shortestPassword, `A password has ${shortestPassword} characters or more.`)
  .max(longestPassword, `A password has at most ${longestPassword} characters.`);
export const personName = z.string().trim().max(100, "A name has at most 100 characters.");
