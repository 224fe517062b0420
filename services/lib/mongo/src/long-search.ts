import { GatewayError } from "@uag/contract/errors/gateway-error";
import { mongo } from "mongoose";

/** https://www.mongodb.com/docs/manual/reference/error-codes/ */
const maxTimeExpired = 50;

/** The time limit of a search, and what a client can do where it does not suffice. */
export interface SearchLimit {
  readonly maxTimeMS: number;
  /** A sentence. */
  readonly remedy: string;
  /** The field to change. */
  readonly param?: string;
}

/**
 * Handles the error of a search whose filter may match few of many rows: it runs with a `maxTimeMS`.
 * @throws {GatewayError} `invalid_request` for a search that took too long; any other error itself
 */
export function refuseLongSearch({ maxTimeMS, remedy, param }: SearchLimit): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof mongo.MongoServerError) || error.code !== maxTimeExpired) throw error;
    const text = `The search did not end within ${maxTimeMS / 1_000} s. ${remedy}`;
    throw new GatewayError("invalid_request", text, { cause: error, ...(param !== undefined && { param }) });
  };
}
