import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCatalog } from "@uag/catalog/parse";
import type { Model, Protocol, Upstream } from "@uag/catalog/types";
import { type FailureKind, UpstreamFailure } from "../src/failure.ts";
import type { ImageAdapter, ImageRequest, InlineImage } from "../src/images/types.ts";
import { adapterFor } from "../src/registry.ts";

const models = (protocol: Protocol): Model =>
  parseCatalog(
    `
providers: { up: { protocol: ${protocol}, base_url: "http://up.test/base", api_key: sk-secret-of-ours, headers: { x-more: "1" } } }
models:
  - { id: m, owned_by: a, created: 2026-01-01, operations: [images.generations], price: { images: 1 },
      upstreams: [{ provider: up, model: theirs }],
      image: { family: ${protocol === "openai" ? "gamma" : "grok"}, upstream_sizes: { "1472*1140": "1472*1104", "9*9": "" } } }
`,
    {},
  ).models.get("m") ?? assert.fail();

const adapterOf = (protocol: Protocol): ImageAdapter => adapterFor("images", protocol) ?? assert.fail();
/** A reference as a client sends it. */
export const inline: InlineImage = { type: "inline", mediaType: "image/png", bytes: Buffer.from("PNG") };
const base: ImageRequest = {
  prompt: "a cat",
  count: 1,
  references: [],
  mask: undefined,
  size: undefined,
  delivery: "url",
  stream: false,
  options: {},
};

interface Sent {
  readonly path: string;
  readonly headers: string;
  readonly body: Buffer;
}

function encode(protocol: Protocol, request: Partial<ImageRequest>): Sent {
  const model = models(protocol);
  const call = { requestId: "req_1", model, request: { ...base, ...request } };
  const { path, headers, body } = adapterOf(protocol).encode(call, model.upstreams[0] as Upstream);
  return { path, headers: headers.join(" "), body: Buffer.isBuffer(body) ? body : Buffer.concat(body as Buffer[]) };
}

interface Decoded {
  readonly images: number;
  readonly faults: number;
  readonly billed: number;
  readonly units: Record<string, number> | undefined;
  readonly raw: string | undefined;
}

function decode(protocol: Protocol, body: unknown): Decoded {
  const model = models(protocol);
  const call = { requestId: "r", model, request: base };
  const bytes = Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  const { images, faults, billedImages, usage } = adapterOf(protocol).decode(
    bytes,
    call,
    model.upstreams[0] as Upstream,
  );
  return {
    images: images.length,
    faults: faults.length,
    billed: billedImages,
    units: usage?.units && Object.fromEntries(usage.units.map(({ name, quantity }) => [name, Number(quantity)])),
    raw: usage?.raw.toString(),
  };
}

/** What a provider's adapter must produce for requests and responses. */
export interface ImageCases {
  readonly sent: readonly { what: string; request: Partial<ImageRequest>; path: string; body: object }[];
  readonly read: readonly { what: string; body: unknown; expected: Partial<Decoded> }[];
  readonly failing: readonly { what: string; body: unknown; kind: FailureKind; code?: string }[];
  readonly statuses?: readonly { status: number; body: object; kind: FailureKind }[];
}

/** Declares one test per case. */
export function testImages(protocol: Protocol, cases: ImageCases): { encode(request: Partial<ImageRequest>): Sent } {
  for (const { what, request, path, body } of cases.sent) {
    test(`encodes a request: ${what}`, () => {
      const sent = encode(protocol, request);
      assert.equal(sent.path, path);
      assert.deepEqual(JSON.parse(sent.body.toString()), body);
      assert.match(sent.headers, protocol === "gemini" ? /x-goog-api-key sk-secret/ : /authorization Bearer sk-secret/);
      assert.match(sent.headers, /x-client-request-id req_1/);
      assert.match(sent.headers, /x-more 1/);
    });
  }
  for (const { what, body, expected } of cases.read) {
    test(`read: ${what}`, () => {
      const decoded = decode(protocol, body);
      for (const [name, value] of Object.entries(expected)) {
        assert.deepEqual(decoded[name as keyof Decoded], value, name);
      }
    });
  }
  testFailures(protocol, cases);
  return { encode: (request) => encode(protocol, request) };
}

function testFailures(protocol: Protocol, { failing, statuses = [] }: ImageCases): void {
  for (const { what, body, kind, code } of failing) {
    test(`${protocol}: ${what} is a ${kind} failure`, () => {
      assert.throws(
        () => decode(protocol, body),
        (error: unknown) => {
          assert.ok(error instanceof UpstreamFailure, String(error));
          assert.equal(error.kind, kind);
          if (code !== undefined) assert.equal(error.reported?.code, code);
          return true;
        },
      );
    });
  }
  for (const { status, body, kind } of statuses) {
    test(`${protocol}'s ${status} ${JSON.stringify(body).slice(0, 60)} is a ${kind} failure`, () => {
      const upstream = models(protocol).upstreams[0] as Upstream;
      const bytes = Buffer.from(JSON.stringify(body));
      const failure = adapterOf(protocol).failureOf({ status, header: () => undefined, body: bytes }, upstream);
      assert.equal(failure.kind, kind);
    });
  }
}
