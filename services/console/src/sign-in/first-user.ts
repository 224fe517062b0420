import { isDuplicate } from "@uag/mongo/errors";
import { newId } from "@uag/runtime/ids";
import type { Store } from "../store/store.ts";
import type { Passwords } from "./passwords.ts";

/** Creates the first operator if there are no users. Of several replicas one does. */
export async function makeFirstUser(
  store: Store,
  passwords: Passwords,
  { email, password }: { email: string; password: string | undefined },
): Promise<void> {
  if (password === undefined || (await store.users.exists({})) !== null) return;
  const user = {
    _id: newId("usr"),
    email: email.toLowerCase(),
    name: "Administrator",
    role: "operator" as const,
    password: await passwords.hash(password),
    createdAt: new Date(),
  };
  await store.users.create([user]).catch((error: unknown) => {
    if (!isDuplicate(error)) throw error;
  });
}
