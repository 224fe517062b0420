import type { ResponseHead } from "@uag/pipeline/outcome";

/** A response to a line. */
export interface LineResponse extends ResponseHead {
  readonly requestId: string;
  readonly body: Buffer;
}
