/** The proofs in the order in which they run. */
export const proofNames = ["request", "network", "roll", "kill", "oom", "drain", "upgrade"] as const;
export type ProofName = (typeof proofNames)[number];
