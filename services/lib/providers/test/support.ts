import { parseCatalog } from "@uag/catalog/parse";
import type { Model, Upstream } from "@uag/catalog/types";
import type { GenerationCall } from "../src/generation.ts";

/** A model for tests, as parsed from a catalogue; `fields` are YAML lines of the model. */
export function testModel(fields = "", protocol = "openai"): Model {
  const catalog = parseCatalog(
    `providers: { acme: { protocol: ${protocol}, base_url: "http://up.test:81/v1", api_key: sk-secret-key } }
models:
  - id: m
    owned_by: o
    created: 0
    operations: [chat.completions]
    context_tokens: 1000
    max_output_tokens: 100
    price: { input_tokens: 1, output_tokens: 2 }
    upstreams: [{ provider: acme, model: real }]
${fields}`,
    {},
  );
  return catalog.models.get("m") as Model;
}

export function firstUpstream(model: Model): Upstream {
  return model.upstreams[0] as Upstream;
}

/** A call as the chat service builds it from a body. */
export function testCall(body: string, model: Model, more: Partial<GenerationCall> = {}): GenerationCall {
  const fields = JSON.parse(body) as Record<string, unknown>;
  const stream = fields["stream"] === true;
  const options = fields["stream_options"] as { include_usage?: unknown } | undefined;
  const usageWanted = options?.include_usage === true;
  return {
    requestId: "req_1",
    body: Buffer.from(body),
    fields,
    model,
    stream,
    usageWanted,
    outputCap: undefined,
    runsTools: false,
    headers: [],
    ...more,
  };
}
