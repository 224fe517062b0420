import type { Fields } from "@uag/capability/request/body.ts";
import type { Model } from "@uag/catalog/types.ts";
import type { GuardedClient } from "@uag/kit/http/guarded.ts";
import type { ImageRequest } from "@uag/upstreams/images/types.ts";

/** What a family's reader goes by. */
export interface Reading {
  readonly fields: Fields;
  readonly model: Model;
  readonly guarded: GuardedClient;
}

/**
 * Checks the body of a request for images. @throws {GatewayError | UpstreamFailure} naming the
 * field
 */
export type Reader = (reading: Reading) => ImageRequest;
