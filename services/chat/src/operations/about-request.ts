import type { FailureKind } from "@uag/providers/failure";

const kinds: ReadonlySet<FailureKind> = new Set(["client", "unknown_model", "transient"]);

/** Whether failures of a kind concern the request or the model, not our account at the provider. */
export const isAboutRequest = (kind: FailureKind): boolean => kinds.has(kind);
