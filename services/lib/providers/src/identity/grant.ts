import { createHash } from "node:crypto";
import type { Identity } from "@uag/catalog/identity";
import type { Ask } from "./ask.ts";

/** An identity whose requests are signed with an access key. */
export type AwsIdentity = Extract<Identity, { type: "aws" | "aws_role" }>;

/** An identity that requests are authorized for by a token. */
export type TokenIdentity = Exclude<Identity, AwsIdentity>;

/** What an authority granted: an access token, or a temporary access key. */
export interface Granted<Value> {
  readonly value: Value;
  /** For how long it is valid, milliseconds. */
  readonly lifeMs: number;
}

/** How what authorizes an identity's requests is fetched. */
export interface Grant<Value> {
  /** Equal for grants of equal identities; no secret. */
  readonly id: string;
  /** @throws {UpstreamFailure} `operator` when the credential is refused */
  fetch(ask: Ask): Promise<Granted<Value>>;
}

export const idOf = (identity: Identity): string => createHash("sha256").update(JSON.stringify(identity)).digest("hex");
