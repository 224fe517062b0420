import { keys } from "./keys.ts";
import { common, failure, invitation, nav, notFound, roles, shell, signIn } from "./shell.ts";

/** Everything the console says, in English; the other languages have the same shape. */
export const en = { common, failure, invitation, keys, nav, notFound, roles, shell, signIn } as const;
