import { settingIn } from "@uag/runtime/config";

const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/** The names of the variables that a text references, in order. */
export function referencesIn(text: string): string[] {
  return Array.from(text.matchAll(reference), ([, name = ""]) => name);
}

/**
 * Replaces `${NAME}` and `${NAME:-default}` by the environment's values (or those of `NAME_FILE`);
 * an empty variable counts as unset.
 * @returns the text, or the name of the first required variable that is not set.
 */
export function resolveReferences(text: string, env: NodeJS.ProcessEnv): { text: string } | { missing: string } {
  let missing: string | undefined;
  const resolved = text.replaceAll(reference, (_whole, name: string, fallback: string | undefined) => {
    const value = settingIn(env, name);
    if (value !== undefined) return value;
    if (fallback === undefined) missing ??= name;
    return fallback ?? "";
  });
  return missing === undefined ? { text: resolved } : { missing };
}
