import type { OperationBilled } from "@uag/contract/routes";
import type { Attempted } from "@uag/providers/attempt";
import type { JsonBody } from "../request/body.ts";
import { defineOperation, type OperationContext } from "./define-operation.ts";
import type { Operation } from "./operation.ts";
import type { AdmittedRequest, Size } from "./operation-spec.ts";
import type { RequestSpec } from "./request-spec.ts";

/** Nothing is held, and nothing is left to correct. */
const free: Size = { holdNanoUsd: 0n, tokens: 0 };

/** The specific part of an operation that is free. */
export interface FreeSpec<R> extends RequestSpec<JsonBody, R> {
  readonly name: OperationBilled<"free">;
  /**
   * Calls upstreams; resolves with the response's JSON.
   * @throws {AttemptsFailed} when none responded
   */
  call(admitted: AdmittedRequest<R, Size>): Promise<Attempted<Buffer>>;
}

/**
 * Defines an operation whose provider charges nothing. Its requests are admitted within the key's
 * limits, can be repeated under an idempotency key, and have a bill of zero, so that they are listed
 * with the account's usage. They need no balance.
 */
export function defineFree<R>(context: OperationContext, spec: FreeSpec<R>): Operation {
  const { estimate: _, ...operation } = defineOperation(context, {
    ...spec,
    size: () => free,
    respond: (_, { value: body, upstream, attempts }) => ({
      kind: "unary",
      upstream,
      attempts,
      charge: { units: [] },
      headers: ["content-type", "application/json"],
      body,
    }),
  });
  return operation;
}
