import type { Provider } from "@uag/catalog/types";
import type { TestStep } from "@uag/proto/capability/v1/provider_test.ts";
import { detailsOf, type UpstreamFailure } from "@uag/providers/failure";
import { reasonOf, type TestReason } from "./reasons.ts";

/** The steps of a test, in order. */
export type StepName = "settings" | "dns" | "connection" | "tls" | "models" | "price" | "call";

const order: readonly StepName[] = ["settings", "dns", "connection", "tls", "models", "price", "call"];
/** Steps on the way to the provider, whose failures are those of the first request. */
const way = ["dns", "connection", "tls"] as const;

const nothing = { reason: "", message: "", status: 0, code: "", requestId: "" };

/** Records the outcome of each step of a test. */
export class TestSteps {
  readonly #steps = new Map<StepName, TestStep>();
  readonly #secure: boolean;

  /** @param secure the provider is called with TLS */
  constructor(secure: boolean) {
    this.#secure = secure;
  }

  get failed(): boolean {
    return [...this.#steps.values()].some(({ state }) => state === "failed");
  }

  passed(step: StepName, durationMs?: number): void {
    this.#steps.set(step, { ...nothing, step, state: "passed", durationMs });
  }

  skipped(step: StepName, reason: TestReason, message = ""): void {
    this.#steps.set(step, { ...nothing, step, state: "skipped", reason, message });
  }

  /** A step that fails without a request. */
  refused(step: StepName, reason: TestReason, message: string): void {
    this.#steps.set(step, { ...nothing, step, state: "failed", reason, message });
  }

  /** The provider responded: name, connection and certificate are as they should be. */
  reached(): void {
    for (const step of way) if (step !== "tls" || this.#secure) this.passed(step);
  }

  /** A request failed, perhaps on its way to the provider. */
  failedAt(
    step: "models" | "call",
    failure: UpstreamFailure,
    { provider, durationMs }: { provider: Provider; durationMs: number },
  ): void {
    const reason = reasonOf(failure);
    const { status, code = "", message, upstreamRequestId: requestId = "" } = detailsOf(failure, provider);
    const failed = { state: "failed", reason, message, status, code, requestId, durationMs };
    const at =
      way.find((each) => each === reason) ?? (reason === "address_refused" && status === 0 ? "connection" : undefined);
    if (at === undefined) {
      if (status > 0) this.reached();
      this.#steps.set(step, { ...failed, step });
      return;
    }
    for (const earlier of way.slice(0, way.indexOf(at))) this.passed(earlier);
    this.#steps.set(at, { ...failed, step: at });
  }

  /** All steps; those that were not reached are skipped. */
  all(): TestStep[] {
    const made = this.#secure ? order : order.filter((step) => step !== "tls");
    return made.map(
      (step) =>
        this.#steps.get(step) ?? {
          ...nothing,
          step,
          state: "skipped",
          reason: "earlier_step",
          durationMs: undefined,
        },
    );
  }
}
