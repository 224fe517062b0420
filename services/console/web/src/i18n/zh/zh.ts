import type { en } from "../en/en.ts";
import type { Texts } from "../texts.ts";
import { keys } from "./keys.ts";
import { common, failure, invitation, nav, notFound, roles, shell, signIn } from "./shell.ts";

export const zh: Texts<typeof en> = { common, failure, invitation, keys, nav, notFound, roles, shell, signIn };
