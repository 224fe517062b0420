/**
 * Places in a request's life where a process can be told to die, in the order in which a request
 * passes them.
 */
export const crashPoints = [
  "authenticated",
  "claimed",
  "slots-lent",
  "in-transaction",
  "committed",
  "admitted",
  "journalled",
  "noted",
  "upstream-sent",
  "first-byte",
  "mid-stream",
  "usage-known",
  "billed",
  "kept",
  "answered",
  "published",
  "received",
  "settled",
  "stored",
  "applied",
  "acked",
  "confirmed",
  "adopted",
] as const;

/** A place in the code where a test can end the process. */
export type CrashPoint = (typeof crashPoints)[number];

const [armed, nth = "1"] = (process.env["CRASH_AT"] ?? "").split(":");
let left = Number(nth);

/**
 * Ends this process with SIGKILL when it passes the point that `CRASH_AT=<point>:<n>` names for the
 * nth time; for tests of what survives a crash. The variable is read once; without it this does
 * nothing.
 */
export const crashPoint: (point: CrashPoint) => void =
  armed === "" || armed === undefined
    ? () => undefined
    : (point) => {
        if (point === armed && --left === 0) process.kill(process.pid, "SIGKILL");
      };
