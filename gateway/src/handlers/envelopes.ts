import { GatewayError } from "@uag/contract/errors/gateway-error";
import { checkIdempotencyKey } from "@uag/contract/idempotency-key";
import { pathFields } from "@uag/contract/requests/admin-fields";
import { closeEnvelopeRequest, createEnvelopeRequest, envelopeListQuery } from "@uag/contract/requests/envelopes";
import type { QueryName } from "@uag/contract/routes";
import type { EnvelopeScope, EnvelopeServiceServer } from "@uag/proto/billing/v1/envelopes.ts";
import type { RpcClient } from "@uag/runtime/rpc/client";
import type { Request } from "express";
import { checkedBody, checkedQuery, pageOf } from "../admin/check.ts";
import { jsonTextInTurns, listOf } from "../admin/json.ts";
import { readJson } from "../admin/read-json.ts";
import { type CostSource, costsOf } from "../envelopes/costs.ts";
import { showEnvelope } from "../envelopes/show.ts";
import { inOurNames } from "../param-names.ts";
import type { GatewayResponse, Handler } from "../request-state.ts";
import { sendJson } from "../respond.ts";

const timeoutMs = 10_000;

/** Where envelopes are kept, and their costs. */
export interface EnvelopeSources {
  readonly billing: RpcClient<EnvelopeServiceServer>;
  readonly metering: CostSource;
}

interface EnvelopeCall extends EnvelopeSources {
  readonly request: Request;
  readonly response: GatewayResponse;
  readonly scope: EnvelopeScope;
}

type Respond = (call: EnvelopeCall) => Promise<{ readonly status?: 201; readonly body: object }>;

/** The id in the path. A malformed id is treated as unknown. */
function idOf(request: Request): string {
  const checked = pathFields.id.safeParse(request.params["id"]);
  if (checked.success) return checked.data;
  throw new GatewayError("not_found", "The envelope does not exist.", { param: "id" });
}

const bodyOf = ({ request, response }: EnvelopeCall): Promise<unknown> =>
  readJson(request, { response, limit: response.locals.route?.maxBodyBytes ?? 0 });

const create: Respond = async (call) => {
  const { billing, request, response, scope } = call;
  const fields = checkedBody(createEnvelopeRequest, await bodyOf(call));
  const { max_usd: amountNanoUsd, ttl: ttlSeconds, models = [], parent: parentId = "", name } = fields;
  const { requestId } = response.locals;
  const idempotencyKey = request.get("idempotency-key");
  if (idempotencyKey !== undefined) checkIdempotencyKey(idempotencyKey);
  const opening = { scope, amountNanoUsd, ttlSeconds, models, parentId, name, requestId, idempotencyKey };
  const { envelope, secret, replayed = false } = await billing.createEnvelope(opening, { timeoutMs });
  if (envelope === undefined) throw new Error("billing returned a secret without its envelope");
  if (replayed) response.setHeader("idempotent-replayed", "true");
  return { status: 201, body: { ...showEnvelope(envelope), key: secret } };
};

const list: Respond = async ({ billing, request, scope }) => {
  const page = pageOf(checkedQuery(envelopeListQuery, request.originalUrl));
  const { envelopes, nextCursor } = await billing.listEnvelopes({ scope, page }, { timeoutMs });
  return { body: listOf(envelopes.map(showEnvelope), nextCursor) };
};

const get: Respond = async ({ billing, metering, request, scope }) => {
  const { envelope, below } = await billing.getEnvelope({ scope, id: idOf(request) }, { timeoutMs });
  if (envelope === undefined) throw new Error("billing returned no envelope");
  return { body: { ...showEnvelope(envelope), costs: await costsOf(metering, [envelope, ...below]) } };
};

const close: Respond = async (call) => {
  const { billing, request, response, scope } = call;
  checkedBody(closeEnvelopeRequest, (await bodyOf(call)) ?? {});
  const { requestId } = response.locals;
  const closed = await billing.closeEnvelope({ scope, id: idOf(request), requestId }, { timeoutMs });
  return { body: showEnvelope(closed) };
};

function handlerOf(respond: Respond, sources: EnvelopeSources): Handler {
  return async (request, response) => {
    const { key } = response.locals;
    if (key === undefined) throw new GatewayError("invalid_api_key");
    const scope = { accountId: key.accountId, keyId: key.keyId };
    const { status = 200, body } = await respond({ ...sources, request, response, scope }).catch((error: unknown) => {
      throw inOurNames(error);
    });
    sendJson(request, response, status, await jsonTextInTurns(body));
  };
}

/** `/v1/envelopes`: keys with an amount of their own, which a key's owner hands to agents. */
export function envelopes(sources: EnvelopeSources): Partial<Record<QueryName, Handler>> {
  return {
    "envelopes.create": handlerOf(create, sources),
    "envelopes.list": handlerOf(list, sources),
    "envelopes.get": handlerOf(get, sources),
    "envelopes.close": handlerOf(close, sources),
  };
}
