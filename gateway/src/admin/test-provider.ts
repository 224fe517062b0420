import { GatewayError } from "@uag/contract/errors/gateway-error";
import { testProviderRequest } from "@uag/contract/requests/admin-providers";
import type { providerTest } from "@uag/contract/responses/admin-providers";
import type { Shown } from "@uag/contract/responses/shown";
import { routes, type ServiceName } from "@uag/contract/routes";
import type { CatalogModel } from "@uag/proto/billing/v1/admin.ts";
import type {
  TestCall,
  TestProviderRequest,
  TestProviderResponse,
  TestStep,
} from "@uag/proto/capability/v1/provider_test.ts";
import { usdText } from "@uag/runtime/usd";
import { type AdminCall, type AdminHandler, recordAction } from "./admin.ts";
import { checkedBody } from "./check.ts";

type Test = Shown<typeof providerTest>;
type Step = Test["steps"][number];

/** A whole test takes at most 45 seconds. */
const timeoutMs = 55_000;

const operationsOf = ({ entry }: CatalogModel): readonly string[] =>
  (JSON.parse(entry) as { operations: readonly string[] }).operations;

const servesFrom = (provider: string) => (model: CatalogModel) =>
  model.upstreams.some((upstream) => upstream.provider === provider);

/** What is tested, and the models that it serves. */
export interface Tested {
  readonly overlayVersion: bigint;
  readonly all: readonly CatalogModel[];
  readonly served: readonly CatalogModel[];
}

/** @throws {GatewayError} `not_found` for an unknown provider, and one that was deleted */
export async function testedOf({ clients, id }: AdminCall): Promise<Tested> {
  const { providers, overlayVersion } = await clients.catalog.listProviders({});
  const found = providers.find(({ name }) => name === id);
  if (found === undefined || found.draining)
    throw new GatewayError("not_found", "The provider does not exist.", { param: "id" });
  const { models: all } = await clients.admin.listCatalogModels({});
  return { overlayVersion, all, served: all.filter(servesFrom(id)) };
}

/** The service that calls these models: the one for text, if it calls any of them. */
export function serviceOf(models: readonly CatalogModel[]): ServiceName {
  const operations = new Set(models.flatMap(operationsOf));
  const serving = routes.flatMap((route) =>
    "service" in route && operations.has(route.operation) ? [route.service] : [],
  );
  return serving[0] ?? "chat";
}

/** @throws {GatewayError} the service's, or `service_unavailable` without one */
export async function runTest(
  { clients, id, actor: { requestId } }: AdminCall,
  service: ServiceName,
  request: Omit<TestProviderRequest, "provider" | "requestId">,
): Promise<TestProviderResponse> {
  const client = clients.providerTests[service];
  if (client !== undefined) return await client.testProvider({ provider: id, requestId, ...request }, { timeoutMs });
  throw new GatewayError("service_unavailable", `The service ${service}, which calls this provider, is not deployed.`);
}

const showStep = ({ step, state, reason, message, status, code, requestId, durationMs }: TestStep): Step => ({
  step: step as Step["step"],
  state: state as Step["state"],
  reason: (reason || null) as Step["reason"],
  message: message || null,
  status: status || null,
  code: code || null,
  request_id: requestId || null,
  duration_ms: durationMs ?? null,
});

const showCall = ({ model, upstreamModel, units, costNanoUsd, estimated, priceVersion }: TestCall): Test["call"] => ({
  model,
  upstream_model: upstreamModel,
  units: Object.fromEntries(units.map(({ name, quantity }) => [name, Number(quantity)])),
  cost_usd: usdText(costNanoUsd),
  estimated,
  price_version: priceVersion,
});

function showTest(provider: string, response: TestProviderResponse, durationMs: number): Test {
  const { steps, simulated, credentialId, call } = response;
  return {
    object: "provider_test",
    provider,
    credential_id: credentialId || null,
    passed: steps.every(({ state }) => state !== "failed"),
    simulated,
    duration_ms: Math.round(durationMs),
    steps: steps.map(showStep),
    call: call === undefined ? null : showCall(call),
  };
}

/** The models that a test may call. @throws {GatewayError} `invalid_request` for one that is not the provider's */
function chosenFrom(served: readonly CatalogModel[], model: string | undefined): readonly CatalogModel[] {
  const chosen = served.filter(({ id }) => model === undefined || id === model);
  if (model === undefined || chosen.length > 0) return chosen;
  throw new GatewayError("invalid_request", `The provider serves no model ${model} of the catalogue.`, {
    param: "model",
  });
}

/**
 * Tests a provider. It costs the operator money there, which is recorded in the audit log: the
 * attempt before it, so that none lacks a row, and its usage and cost after it.
 */
export const testProvider: AdminHandler = async (call) => {
  const requested = checkedBody(testProviderRequest, call.body ?? {});
  const { credential_id: credentialId = "", model = "" } = requested;
  const { overlayVersion, served } = await testedOf(call);
  const service = serviceOf(chosenFrom(served, requested.model));
  const about = { targetId: call.id, accountId: "" };
  await recordAction(call, { action: "provider.test", ...about, requested });
  const startedAt = performance.now();
  const response = await runTest(call, service, { credentialId, model, listOnly: false, overlayVersion });
  const body = showTest(call.id, response, performance.now() - startedAt);
  const failed = body.steps.find(({ state }) => state === "failed");
  const outcome = {
    credential_id: body.credential_id,
    passed: body.passed,
    failed_step: failed?.step,
    call: body.call,
  };
  await recordAction(call, { action: "provider.tested", ...about, requested: outcome });
  return { body };
};
