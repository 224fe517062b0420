/**
 * Points in a request's life at which a test can kill the process, in the order a request passes
 * them.
 */
export const crashPoints = [
  "authenticated",
  "claimed",
  "permits-lent",
  "in-transaction",
  "committed",
  "admitted",
  "journalled",
  "noted",
  "upstream-sent",
  "first-byte",
  "checkpointed",
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

/** The same in the life of a video task, whose upstream call passes `upstream-sent` too. */
export const taskCrashPoints = [
  "task-stored",
  "task-held",
  "task-made",
  "task-noted",
  "task-ended",
  "task-billed",
] as const;

/** The same once a response is stored, of accounts that store theirs. */
export const storedCrashPoints = ["response-stored"] as const;

/** A place in the code where a test can end the process. */
export type CrashPoint = (typeof crashPoints | typeof taskCrashPoints | typeof storedCrashPoints)[number];

const [armed, nth = "1"] = (process.env["CRASH_AT"] ?? "").split(":");
let left = Number(nth);

/**
 * Kills this process with SIGKILL when it passes the point named by `CRASH_AT=<point>:<n>` for the
 * nth time; for tests of what survives a crash. The variable is read once; without it this does
 * nothing.
 */
export const crashPoint: (point: CrashPoint) => void =
  armed === "" || armed === undefined
    ? () => undefined
    : (point) => {
        if (point === armed && --left === 0) process.kill(process.pid, "SIGKILL");
      };
