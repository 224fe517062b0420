import type { Admitted } from "@uag/admission/types.ts";
import { Bill } from "@uag/capability/bill.ts";
import type { LinkExchange } from "@uag/link/server-exchange.ts";
import type { ImageAdapter, ImageRequest } from "@uag/upstreams/images/types.ts";
import type { UrlAllowance } from "@uag/upstreams/media/url-fetches.ts";
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
  let order: ImageOrder = { ...asked, request: { ...asked.request, size } };
  const { request } = order;
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
  using urls = context.urls.open(caller);
  try {
    // Fetching and decoding cost: they wait until the request is admitted.
    order = { ...order, request: await prepared(order, adapter, { urls, signal: exchange.signal }) };
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

interface Fetching {
  readonly urls: UrlAllowance;
  readonly signal: AbortSignal;
}

/** The request with its pictures in the form that the upstream takes. */
async function prepared(
  { model, request }: ImageOrder,
  adapter: ImageAdapter,
  fetching: Fetching,
): Promise<ImageRequest> {
  const whole = adapter.takesUrls ? request : await withContent(request, fetching);
  return model.image?.family === "delta" ? await withPng(whole) : whole;
}

/** The request with the pictures themselves in the place of URLs. */
async function withContent(request: ImageRequest, fetching: Fetching): Promise<ImageRequest> {
  const { references } = request;
  if (references.every(({ type }) => type === "inline")) return request;
  return {
    ...request,
    references: await Promise.all(references.map((source) => contentOf(source, "image", fetching))),
  };
}
