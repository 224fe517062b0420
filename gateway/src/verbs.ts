import type { Method } from "@uag/contract/routes";

/** Express's name of each method. */
export const verbs = {
  GET: "get",
  POST: "post",
  PATCH: "patch",
  DELETE: "delete",
} as const satisfies Readonly<Record<Method, string>>;
