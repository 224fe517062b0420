import type { Model } from "@uag/catalog/types.ts";
import type { GatewayError } from "@uag/kit/errors.ts";
import type { UpstreamFailure } from "@uag/upstreams/failure.ts";
import type { GenerationFormat } from "@uag/upstreams/registry.ts";
import type { Fields } from "./request/body.ts";

/** A request for generated text, read and checked; what differs between client formats is behind {@link ClientFormat}. */
export interface GenerationRequest {
  readonly body: Buffer;
  readonly fields: Fields;
  readonly stream: boolean;
  readonly usageWanted: boolean;
  readonly candidates: number;
  /** The client's own cap of each candidate's tokens; undefined when it sets none. */
  readonly outputCap: number | undefined;
}

/** What the client is told of a failure: ours, or an upstream's own words. */
export interface Trouble {
  readonly error: GatewayError;
  readonly failure: UpstreamFailure | undefined;
  readonly requestId: string;
}

/** A format that clients speak to this service. */
export interface ClientFormat {
  readonly name: GenerationFormat;
  /**
   * Checks the body's fields. The model is undefined when there is none of that name.
   * @throws {GatewayError} `invalid_request`, naming the field
   */
  read(body: Buffer, fields: Fields, model: Model | undefined): GenerationRequest;
  /** The client's headers that go upstream with its body. */
  passedHeaders(headers: readonly string[]): readonly string[];
  /** The status that the client is told; default: the error's own. */
  errorStatus?(trouble: Trouble): number;
  errorBody(trouble: Trouble): Buffer;
  /** The error as the last event of a stream. */
  errorEvent(trouble: Trouble): Buffer;
  /** Sent while a stream has nothing to say, so that nobody on the way takes it for dead; undefined: nothing is. */
  readonly keepAlive: Buffer | undefined;
}
