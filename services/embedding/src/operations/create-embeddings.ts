import type { Admitted } from "@uag/admission/types.ts";
import { Bill } from "@uag/capability/bill.ts";
import { callerOf } from "@uag/capability/caller.ts";
import { nestedErrors } from "@uag/capability/nested-error.ts";
import { readJsonBody } from "@uag/capability/request/body.ts";
import { answerTrouble, troubleOf } from "@uag/capability/trouble.ts";
import { GatewayError } from "@uag/kit/errors.ts";
import { bodyLimits } from "@uag/kit/json/parse.ts";
import type { LinkHandler } from "@uag/link/server.ts";
import type { LinkExchange } from "@uag/link/server-exchange.ts";
import type { Caller } from "@uag/proto/common/v1/caller.ts";
import { admitEmbeddings } from "../admit.ts";
import type { EmbeddingContext, EmbeddingOptions } from "../operations.ts";
import { commonLimits, splitInputs, tokenBound } from "../parts/split.ts";
import { type EmbeddingRequest, operation, readEmbeddingRequest } from "../request/read.ts";
import { serveEmbeddings } from "../serve.ts";

/** A request may bring its texts as token ids. */
const limits = { ...bodyLimits, numbers: 500_000 };

/** `POST /v1/embeddings` */
export function createEmbeddings(context: EmbeddingContext, options: EmbeddingOptions): LinkHandler {
  return async (exchange) => {
    const caller = callerOf(exchange.context);
    using lease = context.buffers.open(caller.accountId);
    try {
      const { fields } = await readJsonBody(exchange, lease, { limits });
      const request = readEmbeddingRequest(fields, context.catalog.current, caller);
      await admitted(exchange, { context, options, request, caller });
    } catch (thrown) {
      const trouble = troubleOf(thrown, exchange.requestId);
      answerTrouble(exchange, trouble, {
        events: context.events,
        format: nestedErrors,
        headers: [],
      });
    }
  };
}

interface Ask {
  readonly context: EmbeddingContext;
  readonly options: EmbeddingOptions;
  readonly request: EmbeddingRequest;
  readonly caller: Caller;
}

async function admitted(exchange: LinkExchange, { context, options, request, caller }: Ask): Promise<void> {
  const { model, inputs } = request;
  const { requestId } = exchange;
  const bounds = inputs.map((input) => tokenBound(input, model.contextTokens));
  const parts = splitInputs(inputs, bounds, commonLimits(model.upstreams));
  const admission = await admitEmbeddings(
    context.admission,
    { requestId, caller, operation, stream: false },
    { model, inputs, bounds },
  );
  // Waited for before the answer; it may fail while the upstream is still being asked.
  admission.started.catch(() => {});
  const bill = new Bill({ requestId, admitted: admission, model, events: context.events });
  try {
    await serveEmbeddings({ exchange, context, options, request, parts, admitted: admission, bill });
  } catch (error) {
    await writeOff(bill, admission, error);
    throw error;
  }
}

/** The bill could not be made: the request is not billed, and does not keep its hold. */
async function writeOff(bill: Bill, { started }: Admitted, cause: unknown): Promise<void> {
  try {
    await bill.fail({ upstream: undefined, attempts: 0, status: 503 });
    await started;
  } catch {
    throw new GatewayError("service_unavailable", undefined, { cause });
  }
}
