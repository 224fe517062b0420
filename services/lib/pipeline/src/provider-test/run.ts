import { performance } from "node:perf_hooks";
import type { Catalog, Provider, ProviderAccess } from "@uag/catalog/types";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { TestCall, TestProviderRequest, TestProviderResponse } from "@uag/proto/capability/v1/provider_test.ts";
import { UpstreamFailure } from "@uag/providers/failure";
import { listOwnModels } from "@uag/providers/own-models/list";
import type { OwnModel } from "@uag/providers/own-models/types";
import { adapterFor } from "@uag/providers/registry";
import { type CallOptions, callCheapest, costOf, mayCost, type TestContext } from "./call.ts";
import { type Candidate, cheapestCall } from "./cheapest.ts";
import { TestSteps } from "./steps.ts";

/** Of one request to the provider. */
const timeouts = { connectMs: 5_000, firstByteMs: 15_000, betweenChunksMs: 5_000, totalMs: 20_000 };

/** The catalogue in force, and the one that also has what operators disabled. */
export interface TestCatalogs {
  readonly current: Catalog;
  readonly all: Catalog;
}

/** The provider as it is reached with the credential to be tested, or why it cannot be. */
function providerOf({ current, all }: TestCatalogs, request: TestProviderRequest): Provider | string {
  const { provider: name, credentialId } = request;
  const found = all.providers.get(name);
  const inUse: ProviderAccess | undefined = current.providers.get(name);
  const access = credentialId === "" ? inUse : found?.accesses.get(credentialId);
  if (found !== undefined && access !== undefined) return { ...found, ...accessOf(access), timeouts };
  const start = `${name}: `;
  const fault = [...current.unserved, ...all.unserved].find((line) => line.startsWith(start));
  return fault?.slice(start.length) ?? "the provider has no such credential, or its variable is not set";
}

/** Only where it is reached: the provider in force may be disabled. */
const accessOf = ({ credential, simulated, origin, basePath, apiKey, identity }: ProviderAccess): ProviderAccess => ({
  credential,
  simulated,
  origin,
  basePath,
  apiKey,
  identity,
});

/** One test of one provider. */
class ProviderTest {
  readonly #context: TestContext;
  readonly #provider: Provider;
  readonly #signal: AbortSignal;
  readonly steps: TestSteps;
  readonly #requestId: string;
  models: OwnModel[] = [];
  call: TestCall | undefined;

  constructor(context: TestContext, provider: Provider, { requestId, signal }: CallOptions) {
    this.#context = context;
    this.#provider = provider;
    this.#signal = signal;
    this.#requestId = requestId;
    this.steps = new TestSteps(provider.origin.startsWith("https:"));
    this.steps.passed("settings");
  }

  async list(): Promise<void> {
    const adapter = adapterFor("ownModels", this.#provider.protocol);
    if (adapter === undefined) {
      this.steps.skipped("models", "no_list", `The protocol ${this.#provider.protocol} has no list of models.`);
      return;
    }
    const { pools } = this.#context;
    const about = { pools, adapter, provider: this.#provider, requestId: this.#requestId, signal: this.#signal };
    await this.#timed("models", async () => {
      this.models = await listOwnModels(about);
    });
  }

  /** Makes the cheapest call, or says why there is none. */
  async try(catalog: Catalog, modelId: string): Promise<void> {
    const candidate = this.#candidate(catalog, modelId);
    if (candidate === undefined) return;
    this.steps.passed("price");
    await this.#timed(
      "call",
      async () => {
        const usage = await callCheapest(this.#context, candidate, {
          requestId: this.#requestId,
          signal: this.#signal,
        });
        this.call = costOf(candidate, usage);
      },
      (failure) => {
        if (mayCost(failure)) this.call = costOf(candidate, failure.usage);
      },
    );
  }

  #candidate({ models }: Catalog, modelId: string): Candidate | undefined {
    const chosen = modelId === "" ? models.values() : [models.get(modelId)].filter((model) => model !== undefined);
    const listed = new Set(this.models.map(({ id }) => id));
    const candidate = cheapestCall(chosen, this.#provider, (model) => listed.size === 0 || listed.has(model));
    if (candidate !== undefined) return candidate;
    const about =
      modelId === ""
        ? "No model of the catalogue that generates text or vectors"
        : `The model ${modelId} does not generate text or vectors, or it`;
    this.steps.skipped("price", "no_model", `${about} is served by this provider, so that no call has a price.`);
    return undefined;
  }

  async #timed(
    step: "models" | "call",
    work: () => Promise<void>,
    onFailure?: (failure: UpstreamFailure) => void,
  ): Promise<void> {
    const startedAt = performance.now();
    const durationMs = (): number => Math.round(performance.now() - startedAt);
    try {
      await work();
      this.steps.reached();
      this.steps.passed(step, durationMs());
    } catch (error) {
      if (!(error instanceof UpstreamFailure)) throw error;
      onFailure?.(error);
      if (step === "models" && error.kind === "unknown_model") {
        this.steps.reached();
        this.steps.skipped("models", "no_list", "The provider has no list of models at this base URL.");
      } else this.steps.failedAt(step, error, { provider: this.#provider, durationMs: durationMs() });
    }
  }
}

/** Tests a provider: a failure of the provider is a step of the response. @throws {GatewayError} `not_found` */
export async function testProvider(
  context: TestContext,
  catalogs: TestCatalogs,
  { request, signal }: { readonly request: TestProviderRequest; readonly signal: AbortSignal },
): Promise<TestProviderResponse> {
  const { provider: name, model, listOnly, requestId } = request;
  if (!isKnown(catalogs, name)) throw new GatewayError("not_found", "The provider does not exist.", { param: "id" });
  const provider = providerOf(catalogs, request);
  if (typeof provider === "string") {
    const steps = new TestSteps(true);
    steps.refused("settings", "not_configured", provider);
    return { steps: steps.all(), models: [], simulated: false, credentialId: request.credentialId };
  }
  const test = new ProviderTest(context, provider, { requestId, signal });
  await test.list();
  if (!listOnly && !test.steps.failed) await test.try(catalogs.all, model);
  const { simulated, credential } = provider;
  const models = test.models.map(({ displayName = "", contextTokens = 0, maxOutputTokens = 0, ...of }) => ({
    ...of,
    displayName,
    contextTokens: BigInt(contextTokens),
    maxOutputTokens: BigInt(maxOutputTokens),
  }));
  return {
    steps: test.steps.all(),
    models,
    simulated,
    credentialId: credential.id,
    ...(test.call && { call: test.call }),
  };
}

function isKnown({ current, all }: TestCatalogs, name: string): boolean {
  const start = `${name}: `;
  return all.providers.has(name) || [...all.unserved, ...current.unserved].some((line) => line.startsWith(start));
}
