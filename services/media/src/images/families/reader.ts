import type { Fields } from "@uag/capability/request/body.ts";
import type { Model } from "@uag/catalog/types.ts";
import type { GuardedClient } from "@uag/kit/http/guarded.ts";
import type { ImageRequest } from "@uag/upstreams/images/types.ts";

/** Input of a family's reader. */
export interface Reading {
  readonly fields: Fields;
  readonly model: Model;
  readonly guarded: GuardedClient;
}

/**
 * Validates the body of an image request. @throws {GatewayError | UpstreamFailure} naming the field
 */
export type Reader = (reading: Reading) => ImageRequest;
