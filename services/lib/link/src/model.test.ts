import assert from "node:assert/strict";
import { test } from "node:test";
import { Random, seeds } from "@uag/harness/testing/seeded-random";
import { LocalNetwork, MemoryNetwork, type Network } from "../test/support.ts";
import type { LinkCall, LinkResponse } from "./call.ts";
import { createLinkClient, type LinkClient } from "./client.ts";
import type { LinkError } from "./errors.ts";
import { maxFrameBytes, windowBytes } from "./limits.ts";
import { createLinkServer, type LinkServer } from "./server.ts";
import type { LinkExchange } from "./server-exchange.ts";

const steps = 400;
const maxBody = 700_000;
/** What each end may buffer for an exchange: its window and the frames in flight. */
const transportLimit = 300_000;

interface Plan {
  bodyBytes: number;
  responseBytes: number;
  read: "whole" | "stream" | "some" | "none";
  ending: "end" | "fail" | "throw" | "hang" | "end_early";
  patient: boolean;
}

/**
 * The byte at a position of an exchange's request or response body: distinguishes exchanges,
 * directions and positions.
 */
function byteAt(exchange: number, direction: number, position: number): number {
  return (Math.imul(position, 31) + (position >>> 8) * 7 + exchange * 13 + direction * 101) & 0xff;
}

function bytesAt(exchange: number, direction: number, from: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  for (let i = 0; i < length; i++) bytes[i] = byteAt(exchange, direction, from + i);
  return bytes;
}

function check(exchange: number, direction: number, from: number, bytes: Buffer): void {
  const wanted = bytesAt(exchange, direction, from, bytes.length);
  assert.ok(wanted.equals(bytes), `bytes of exchange ${exchange} at ${from} are not those that were sent`);
}

/** The model of one exchange: what was sent, what arrived, how it ended. */
class Model implements LinkResponse {
  readonly n: number;
  readonly plan: Plan;
  call: LinkCall | undefined;
  bodySent = 0;
  bodyEnded: boolean;
  bodyReceived = 0;
  bodyWhole = false;
  responseWritten = 0;
  responseReceived = 0;
  responseConsumed = 0;
  handled = 0;
  finished = false;
  heads = 0;
  ends = 0;
  cancelled = false;
  errors: LinkError[] = [];

  constructor(n: number, plan: Plan) {
    this.n = n;
    this.plan = plan;
    this.bodyEnded = plan.bodyBytes === 0;
  }

  get over(): boolean {
    return this.ends + this.errors.length > 0;
  }
  onHead(status: number, headers: readonly string[]): void {
    assert.equal(this.heads++, 0, "one head");
    assert.ok(!this.over, "no head after the end");
    assert.equal(status, 200 + (this.n % 100));
    assert.deepEqual(headers, ["n", String(this.n)]);
  }
  onChunk(chunk: Buffer): void {
    assert.ok(this.heads === 1 && !this.over, "chunks arrive between head and end");
    assert.ok(chunk.length <= maxFrameBytes);
    check(this.n, 1, this.responseReceived, chunk);
    this.responseReceived += chunk.length;
    assert.ok(this.responseReceived - this.responseConsumed <= windowBytes, "at most one window is unread");
  }
  onEnd(): void {
    assert.ok(!this.over, "one end");
    this.ends++;
    assert.equal(this.responseReceived, this.responseWritten, "a response that ends is complete");
    assert.ok(this.plan.ending === "end" || this.plan.ending === "end_early");
  }
  onError(error: LinkError): void {
    assert.ok(!this.over, "one end");
    this.errors.push(error);
  }

  async handle(exchange: LinkExchange): Promise<void> {
    assert.equal(++this.handled, 1, "a handler receives an exchange once");
    assert.equal(exchange.header("n"), String(this.n));
    assert.equal(exchange.context.toString(), `context ${this.n}`);
    try {
      if (this.plan.ending !== "end_early") await this.#read(exchange);
      if (this.plan.ending === "throw") throw new Error("planned");
      if (this.plan.ending === "hang") await new Promise((_, reject) => abortion(exchange.signal, reject));
      await this.#respond(exchange);
      if (this.plan.ending === "fail") exchange.fail("planned");
      else exchange.end();
    } finally {
      this.finished = true;
    }
  }

  async #read(exchange: LinkExchange): Promise<void> {
    if (this.plan.read === "none") return;
    if (this.plan.read === "whole") {
      const body = await exchange.readBody({ maxBytes: maxBody });
      check(this.n, 0, 0, body);
      this.bodyReceived = body.length;
    } else {
      for await (const chunk of exchange.body()) {
        check(this.n, 0, this.bodyReceived, chunk);
        this.bodyReceived += chunk.length;
        if (this.plan.read === "some" && this.bodyReceived > this.plan.bodyBytes / 2) return;
      }
    }
    this.bodyWhole = true;
    assert.equal(this.bodyReceived, this.plan.bodyBytes, "a body that ends is complete");
  }

  async #respond(exchange: LinkExchange): Promise<void> {
    exchange.head(200 + (this.n % 100), ["n", String(this.n)]);
    while (this.responseWritten < this.plan.responseBytes) {
      const size = Math.min(
        1 + ((this.n * 7919 + this.responseWritten) % 150_000),
        this.plan.responseBytes - this.responseWritten,
      );
      const more = exchange.write(bytesAt(this.n, 1, this.responseWritten, size));
      if (exchange.over) break;
      this.responseWritten += size;
      if (!more && this.plan.patient) await exchange.drained();
    }
  }
}

function abortion(signal: AbortSignal, reject: (error: unknown) => void): void {
  if (signal.aborted) reject(signal.reason);
  else signal.addEventListener("abort", () => reject(signal.reason), { once: true });
}

/** Drives two replicas and one client through random steps. */
class Driver {
  readonly random: Random;
  readonly network: Network;
  readonly servers: LinkServer[] = [];
  readonly client: LinkClient;
  readonly models: Model[] = [];
  readonly broken: unknown[] = [];
  drained = false;

  constructor(network: Network, seed: number) {
    this.network = network;
    this.random = new Random(seed);
    const log = (event: string, { error }: { error: unknown }): void => {
      if (event === "link.protocol_error" || event === "link.callback_failed") this.broken.push(error);
      if (event === "link.closed" && (error as LinkError).code === "protocol") this.broken.push(error);
      // Apart from the planned failure, a handler fails only through an assertion of this test.
      if (event === "link.handler_failed" && (error as Error).message !== "planned") this.broken.push(error);
    };
    for (const address of ["a:1", "b:1"]) {
      const handler = (exchange: LinkExchange): Promise<void> => this.#model(exchange).handle(exchange);
      const server = createLinkServer({ operations: { run: handler }, maxExchanges: 40, log });
      this.servers.push(server);
      network.serve(address, server);
    }
    this.client = createLinkClient({
      targets: () => Promise.resolve(["a:1", "b:1"]),
      dial: network.dial,
      readyWaitMs: 10_000,
      maxExchangesPerLink: 20 + this.random.int(60),
      log,
    });
  }

  #model(exchange: LinkExchange): Model {
    return this.models[Number(exchange.requestId)] as Model;
  }

  step(): void {
    const roll = this.random.int(1000);
    const model = this.models.length > 0 ? this.random.pick(this.models) : undefined;
    if (roll < 120 || model === undefined) this.open();
    else if (roll < 420) this.body(model);
    else if (roll < 560) this.consume(model);
    else if (roll < 590) this.cancel(model);
    else if (roll < 594) this.network.cutOne(this.random);
    else if (roll < 596 && !this.drained) void this.drain();
    else this.network.deliverSome(this.random);
  }

  open(): void {
    const { random } = this;
    const sizes = [0, 1, 500, 65_536, 65_537, windowBytes, random.int(maxBody)];
    const plan: Plan = {
      bodyBytes: random.pick(sizes),
      responseBytes: random.pick(sizes),
      read: random.pick(["whole", "whole", "stream", "some", "none"] as const),
      ending: random.pick(["end", "end", "end", "end_early", "fail", "throw", "hang"] as const),
      patient: random.chance(0.7),
    };
    const model = new Model(this.models.length, plan);
    this.models.push(model);
    const request = {
      operation: "run",
      requestId: String(model.n),
      target: "/",
      headers: ["n", String(model.n)],
      context: Buffer.from(`context ${model.n}`),
      bodyless: plan.bodyBytes === 0,
    };
    model.call = this.client.open(request, model);
  }

  body(model: Model): void {
    const { plan, call } = model;
    if (model.bodyEnded || call === undefined) return;
    const size = Math.min(1 + this.random.int(this.random.pick([10, 5_000, 200_000])), plan.bodyBytes - model.bodySent);
    call.writeBody(bytesAt(model.n, 0, model.bodySent, size));
    model.bodySent += size;
    if (model.bodySent < plan.bodyBytes) return;
    call.endBody();
    model.bodyEnded = true;
  }

  consume(model: Model): void {
    const bytes = Math.min(1 + this.random.int(200_000), model.responseReceived - model.responseConsumed);
    if (bytes <= 0) return;
    model.responseConsumed += bytes;
    model.call?.consumed(bytes);
  }

  cancel(model: Model): void {
    const before = model.over;
    model.call?.cancel("cancelled by the driver");
    assert.ok(model.over, "a cancelled exchange is over at once");
    if (!before) model.cancelled = true;
  }

  async drain(): Promise<void> {
    this.drained = true;
    await this.servers[0]?.drain({ timeoutMs: 60_000 });
  }

  /** Lets every exchange finish: bodies are sent, responses read, hanging handlers cancelled. */
  async finish(): Promise<void> {
    for (const model of this.models) if (model.plan.ending === "hang") this.cancel(model);
    await this.network.settle(() => {
      for (const model of this.models) {
        if (model.over) continue;
        if (!model.bodyEnded) this.body(model);
        model.call?.consumed(model.responseReceived - model.responseConsumed);
        model.responseConsumed = model.responseReceived;
      }
      return this.models.every((model) => model.over && (model.handled === 0 || model.finished));
    });
  }

  verify(): void {
    assert.deepEqual(this.broken, [], "neither end violated the protocol");
    for (const model of this.models) {
      assert.equal(model.ends + model.errors.length, 1, `exchange ${model.n} ends once`);
      const [error] = model.errors;
      if (error?.seen === false) assert.equal(model.handled, 0, "an unseen exchange reached no handler");
      if (error === undefined) assert.equal(model.handled, 1);
      if (error?.code === "failed") assert.ok(["planned", "internal"].includes(error.reason), error.reason);
      if (model.cancelled) assert.equal(error?.code, "cancelled");
      if (error?.code === "failed" && model.plan.ending === "fail") {
        assert.equal(model.responseReceived, model.plan.responseBytes, "bytes written before a failure arrive");
      }
    }
    const { replicas, waiting } = this.client.status();
    assert.equal(waiting, 0);
    assert.ok(replicas.every((replica) => replica.outstanding === 0));
    for (const server of this.servers) assert.equal(server.status().handlers, 0);
  }
}

const networks: Record<string, () => Network> = {
  "a network": () => new MemoryNetwork({ limit: transportLimit }),
  "one process": () => new LocalNetwork(),
};

for (const [where, open] of Object.entries(networks)) {
  for (const seed of seeds(12)) {
    test(`in ${where}, under any order of events all bytes arrive once and in order, and each exchange ends once (TEST_SEED=${seed})`, async () => {
      const network = open();
      const driver = new Driver(network, seed);
      await driver.client.ready();
      for (let step = 0; step < steps; step++) {
        driver.step();
        if (driver.random.chance(0.3)) await new Promise((resolve) => setImmediate(resolve));
      }
      await driver.finish();
      await network.settle(() => driver.servers.every((server) => server.status().exchanges === 0));
      driver.verify();
      const closed = driver.client.close();
      await network.settle(() => network.closed);
      await closed;
    });
  }
}
