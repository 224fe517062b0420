/**
 * The version in the output of `mongod --version` or `nats-server --version`, e.g. "6.0.5";
 * undefined when there is none.
 */
export function versionIn(output: string): string | undefined {
  return /\bv(\d+\.\d+(?:\.\d+)?)/.exec(output)?.[1];
}

/** True when `version` is `min` or newer; compares numerically. */
export function isAtLeast(version: string, min: string): boolean {
  const have = version.split(".").map(Number);
  for (const [i, want] of min.split(".").map(Number).entries()) {
    const part = have[i] ?? 0;
    if (part !== want) return part > want;
  }
  return true;
}
