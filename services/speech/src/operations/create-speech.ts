import { Bill } from "@uag/capability/bill.ts";
import { callerOf } from "@uag/capability/caller.ts";
import { clientErrorOf, respondError } from "@uag/capability/client-error.ts";
import { nestedErrors } from "@uag/capability/nested-error.ts";
import { readJsonBody } from "@uag/capability/request/body.ts";
import { bound } from "@uag/catalog/price.ts";
import type { BufferLease } from "@uag/kit/buffer-budget.ts";
import type { LinkHandler } from "@uag/link/server.ts";
import type { LinkExchange } from "@uag/link/server-exchange.ts";
import type { Caller } from "@uag/proto/common/v1/caller.ts";
import type { SpeechContext } from "../operations.ts";
import { operation, readSpeechRequest, type SpeechRequest } from "../request/read.ts";
import { serveSpeech } from "../serve.ts";

/** `POST /v1/audio/speech` */
export function createSpeech(context: SpeechContext): LinkHandler {
  return async (exchange) => {
    const caller = callerOf(exchange.context);
    using lease = context.buffers.open(caller.accountId);
    try {
      const { fields } = await readJsonBody(exchange, lease);
      const { maxCharacters } = context;
      const request = readSpeechRequest(fields, {
        catalog: context.catalog.current,
        caller,
        maxCharacters,
        mostHeldBytes: context.buffers.largest - lease.held,
      });
      await admit(exchange, { context, request, caller, lease });
    } catch (thrown) {
      const clientError = clientErrorOf(thrown, exchange.requestId);
      respondError(exchange, clientError, { events: context.events, format: nestedErrors, headers: [] });
    }
  };
}

interface Read {
  readonly context: SpeechContext;
  readonly request: SpeechRequest;
  readonly caller: Caller;
  readonly lease: BufferLease;
}

async function admit(exchange: LinkExchange, { context, request, caller, lease }: Read): Promise<void> {
  const { model, characters } = request;
  const { requestId } = exchange;
  const admitted = await context.admission.admit({
    requestId,
    caller,
    operation,
    model: model.id,
    priceVersion: model.price.version,
    holdNanoUsd: bound([{ quantity: BigInt(characters), anyOf: ["characters"] }], model.price),
    tokens: characters,
    stream: request.format === "mp3",
  });
  // Waited for before the answer; it may fail while the upstream is still being asked.
  admitted.started.catch(() => {});
  const bill = new Bill({ requestId, admitted, model, events: context.events });
  await serveSpeech({ exchange, context, request, admitted, bill, lease });
}
