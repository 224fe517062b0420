import { waitFor } from "@uag/harness/testing/wait-for";
import { generateKey } from "@uag/runtime/api-key";
import { readConfig } from "@uag/runtime/config";
import { schema } from "../../src/config.ts";
import { type Router, startRouter } from "../../src/service.ts";
import { type FakeBilling, pepper, startFakeBilling } from "./fake-billing.ts";
import { type FakeService, startFakeService } from "./fake-service.ts";

/** The router between a fake billing and a fake capability service, with a valid key. */
export interface Stage extends AsyncDisposable {
  readonly gateway: Router;
  readonly billing: FakeBilling;
  readonly service: FakeService;
  readonly key: string;
  /**
   * A request to the public server, with the valid key unless `authorization` is given (`null`
   * omits it).
   */
  fetch(path: string, init?: RequestInit & { authorization?: string | null }): Promise<Response>;
  chat(body?: string): Promise<Response>;
}

export function natsUrl(): string {
  const url = process.env["TEST_NATS_URL"];
  if (url === undefined) throw new Error("TEST_NATS_URL must name a running NATS server");
  return url;
}

export async function startStage(env: Record<string, string> = {}): Promise<Stage> {
  await using starting = new AsyncDisposableStack();
  const billing = starting.use(await startFakeBilling());
  const service = starting.use(await startFakeService());
  const key = generateKey();
  billing.put(key, {});
  const gateway = starting.use(
    await startRouter(
      readConfig(schema, {
        PORT: "0",
        NATS_URL: natsUrl(),
        KEY_PEPPER: pepper,
        BILLING_ADDR: billing.address,
        CHAT_ADDR: service.address,
        TLS: "off",
        LOG_LEVEL: "silent",
        ADMIN_ON_PUBLIC_PORT: "on",
        LINGER_MS: "0",
        DRAIN_MS: "2000",
        ...env,
      }),
    ),
  );
  await waitFor(async () => (await fetch(`http://127.0.0.1:${gateway.port}/health/ready`)).ok);
  const running = starting.move();
  const call: Stage["fetch"] = (path, { authorization = `Bearer ${key}`, headers, ...init } = {}) =>
    fetch(`http://127.0.0.1:${gateway.port}${path}`, {
      ...init,
      headers: { ...(headers as Record<string, string>), ...(authorization === null ? {} : { authorization }) },
    });
  return {
    gateway,
    billing,
    service,
    key,
    fetch: call,
    chat: (body = '{"model":"m"}') =>
      call("/v1/chat/completions", { method: "POST", headers: { "content-type": "application/json" }, body }),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
