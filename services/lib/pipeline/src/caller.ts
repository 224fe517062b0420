import { Caller } from "@uag/proto/common/v1/caller.ts";

const maxKnown = 2_000;
const known = new Map<string, Caller>();

/**
 * The caller that the router authenticated, from an exchange's context. The bytes are the same for
 * every request of a key, so they are decoded once; the result is shared and must not be modified.
 */
export function callerOf(context: Buffer): Caller {
  const bytes = context.toString("latin1");
  let caller = known.get(bytes);
  if (caller !== undefined) return caller;
  caller = Caller.decode(context);
  if (known.size >= maxKnown) known.clear();
  known.set(bytes, caller);
  return caller;
}
