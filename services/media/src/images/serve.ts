import type { Admitted } from "@uag/admission/types.ts";
import { Bill } from "@uag/capability/bill.ts";
import { callerOf } from "@uag/capability/caller.ts";
import type { LinkExchange } from "@uag/kit/link/server-exchange.ts";
import type { ImageAdapter, ImageRequest, ImageSource } from "@uag/upstreams/images/types.ts";
import { imageAdapter } from "@uag/upstreams/registry.ts";
import type { MediaContext } from "../context.ts";
import { withPng } from "./as-png.ts";
import { giveUp } from "./end.ts";
import { holdFor } from "./money.ts";
import type { ImageOrder } from "./order.ts";
import { contentOf } from "./sources.ts";
import { serveStream } from "./stream.ts";
import { serveWhole } from "./whole.ts";

/** An order on its way through the service. */
export interface Serving {
  readonly exchange: LinkExchange;
  readonly context: MediaContext;
  readonly order: ImageOrder;
  readonly adapter: ImageAdapter;
  readonly admitted: Admitted;
  readonly bill: Bill;
}

/** Admits an order, asks upstreams, delivers, and writes the bill. @throws whatever came before the admission */
export async function serveOrder(exchange: LinkExchange, asked: ImageOrder, context: MediaContext): Promise<void> {
  const { model, caller, operation } = asked;
  const adapter = adapterFor(asked);
  const size = asked.request.size ?? model.image?.defaultSize;
  const request = await withContent({ ...asked.request, size }, adapter, { exchange, context });
  let order: ImageOrder = { ...asked, request };
  const { requestId } = exchange;
  const { holdNanoUsd, tokens } = holdFor(model, request, adapter);
  const admitted = await context.admission.admit({
    requestId,
    caller,
    operation,
    model: model.id,
    holdNanoUsd,
    tokens,
    priceVersion: model.price.version,
    stream: request.stream,
  });
  // Handled where the first byte waits for it: it may fail while the upstream is still being asked.
  admitted.started.catch(() => {});
  const bill = new Bill({ requestId, admitted, model, events: context.events });
  const parts = { exchange, context, adapter, admitted, bill };
  try {
    // Decoding costs: it waits until the request is admitted.
    if (model.image?.family === "delta") order = { ...order, request: await withPng(request) };
  } catch (thrown) {
    await giveUp({ ...parts, order }, thrown, 0);
    return;
  }
  const serving: Serving = { ...parts, order };
  await (request.stream ? serveStream(serving) : serveWhole(serving));
}

function adapterFor({ model }: ImageOrder): ImageAdapter {
  const [upstream] = model.upstreams;
  const adapter = upstream && imageAdapter(upstream.provider.protocol);
  if (adapter === undefined) throw new Error(`${model.id} has no upstream that makes images`);
  return adapter;
}

/** The request with the pictures themselves in the place of URLs, where the upstream takes no URLs. */
async function withContent(
  request: ImageRequest,
  adapter: ImageAdapter,
  { exchange, context }: { exchange: LinkExchange; context: MediaContext },
): Promise<ImageRequest> {
  const fetched = (source: ImageSource): boolean => source.type === "url" && !adapter.takesUrls;
  if (!request.references.some(fetched)) return request;
  const { signal } = exchange;
  const { guarded } = context;
  const owner = callerOf(exchange.context).accountId;
  const references = await Promise.all(
    request.references.map((source) =>
      fetched(source) ? contentOf(source, "image", { guarded, owner, signal }) : source,
    ),
  );
  return { ...request, references };
}
