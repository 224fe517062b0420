import type { Model } from "@uag/catalog/types";
import type { Fields } from "@uag/pipeline/request/body";
import type { ImageRequest } from "@uag/providers/images/types";
import type { GuardedClient } from "@uag/untrusted/http/guarded";

/** Input of a family's reader. */
interface Reading {
  readonly fields: Fields;
  readonly model: Model;
  readonly guarded: GuardedClient;
}

/**
 * Validates the body of an image request. @throws {GatewayError | UpstreamFailure} naming the field
 */
export type Reader = (reading: Reading) => ImageRequest;
