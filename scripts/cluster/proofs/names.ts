/** The proofs in the order in which they run. */
export const proofNames = [
  "request",
  "network",
  "roll",
  "kill",
  "oom",
  "volume",
  "rotate",
  "scale",
  "drain",
  "upgrade",
  "restore",
] as const;
export type ProofName = (typeof proofNames)[number];
