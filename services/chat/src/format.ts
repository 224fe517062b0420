import type { Model } from "@uag/catalog/types";
import type { OperationBilled } from "@uag/contract/routes";
import type { ClientError, ErrorFormat } from "@uag/pipeline/client-error";
import type { BodyReader } from "@uag/pipeline/operation/body-reader";
import type { QueryReply } from "@uag/pipeline/operation/query-reply";
import type { Fields, JsonBody } from "@uag/pipeline/request/body";
import type { Caller } from "@uag/proto/common/v1/caller.ts";
import type { ServerTools } from "@uag/providers/formats/server-tools";
import type { StreamFraming } from "@uag/providers/generation";
import type { FieldTable } from "@uag/providers/passed-fields/cost-class";
import type { GenerationFormat } from "@uag/providers/translate/client";
import type { ResponseKeeper } from "./state/keep.ts";
import type { Turn } from "./state/turn.ts";

/** A request's body, and what it adds to a conversation that the gateway stores. */
export interface GenerationBody extends JsonBody {
  readonly turn?: Turn | undefined;
  /** The body to run in the background, if the request asks for that. */
  readonly background?: Buffer | undefined;
}

/**
 * A request for generated text, read and checked; {@link ClientFormat} hides the differences
 * between client formats.
 */
export interface GenerationRequest {
  readonly body: Buffer;
  readonly fields: Fields;
  readonly stream: boolean;
  /** Default: server-sent events. */
  readonly framing?: StreamFraming;
  readonly usageWanted: boolean;
  readonly candidates: number;
  /** The client's own cap on each candidate's tokens; undefined when it sets none. */
  readonly outputCap: number | undefined;
  /** Tools that the upstream would run itself. */
  readonly serverTools: ServerTools;
  /** Some field has no cost class, and an upstream may receive it: the hold is the worst case. */
  readonly hasUnclassedField?: boolean;
  /** Set if the response is stored. */
  readonly turn?: Turn | undefined;
  /** The body to run in the background, if the request asks for that. */
  readonly background?: Buffer | undefined;
}

/** Whether the upstream may run tools itself, which bring input of their own. */
export function runsTools({ serverTools }: Pick<GenerationRequest, "serverTools">): boolean {
  return serverTools.tools.length > 0 || serverTools.searchesTools;
}

/** Accepts a request that is to run in the background, and responds with its state or its events. */
export type BackgroundStart = (request: BackgroundRequest) => Promise<QueryReply>;

/** A checked request that is to run in the background. */
export interface BackgroundRequest {
  readonly caller: Caller;
  readonly idempotencyKey: string | undefined;
  /** The end user that its header names. */
  readonly endUser: string | undefined;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  /** Without `background`. */
  readonly body: Buffer;
}

/** A format in which clients talk to this service. */
export interface ClientFormat extends ErrorFormat {
  /** The operation's name. */
  readonly name: OperationBilled<"metered">;
  /** How requests are parsed and responses written for upstreams of other protocols. */
  readonly format: GenerationFormat;
  /** Streams have an operation of their own. */
  readonly neverStreams?: true;
  /** The field that caps the output. */
  readonly outputCapField: "max_tokens" | "max_output_tokens" | "generationConfig.maxOutputTokens";
  /** How a request's body is read; default: as JSON that names the model. */
  readonly body?: BodyReader<GenerationBody>;
  /** The fields that are documented for the format's bodies, or that a provider documents. */
  readonly knownFields: FieldTable;
  /**
   * The model that a body names. The key's permission is checked before anything else in the body.
   * @throws {GatewayError} `invalid_request` when it names none
   */
  modelOf(fields: Fields): string;
  /**
   * Checks the body's fields.
   * @throws {GatewayError} `invalid_request`, naming the field
   */
  read(json: GenerationBody, model: Model): GenerationRequest;
  /** The client headers that are passed upstream with its body. */
  passedHeaders(headers: readonly string[]): readonly string[];
  /** Adds a stream's cost, nano-USD, to its last bytes; default: they do not contain it. */
  withCost?(closing: Buffer, costNanoUsd: bigint): Buffer;
  /** Stores responses to requests that have a turn; undefined: none is stored. */
  readonly keeper?: ResponseKeeper | undefined;
  /** Accepts requests that are to run in the background; undefined: there are none. */
  readonly background?: BackgroundStart | undefined;
  /** The headers of a stream; default: those of an event stream. */
  streamHeaders?(request: GenerationRequest): readonly string[];
  /** The error as the last event of a stream. */
  errorEvent(clientError: ClientError, request: GenerationRequest): Buffer;
  /**
   * Sent while a stream is idle, so that no intermediary considers it dead; undefined: nothing is
   * sent.
   */
  readonly keepAlive: Buffer | undefined;
}
