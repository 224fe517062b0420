import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { secretOf } from "@uag/catalog/identity";
import { sharedDeployment } from "./models.ts";

const at = (params: Readonly<Record<string, unknown>> & { readonly model: string }, info: object = {}) =>
  sharedDeployment({ name: "name", params, info } as Parameters<typeof sharedDeployment>[0]);
const typeOf = (secret: string | undefined) => {
  const read = secretOf(secret ?? "");
  return typeof read === "string" ? read : read.identity?.type;
};

describe("a deployment of LiteLLM", () => {
  test("at Azure has the v1 address of its resource, and the model of its base_model", () => {
    const params = { model: "azure/prod", api_base: "https://a.openai.azure.com/", api_key: "key" };
    const { upstream, base, place } = at(params, { base_model: "azure/gpt-4o" });
    assert.deepEqual([upstream, base], ["prod", "gpt-4o"]);
    assert.deepEqual(place, { kind: "azure", baseUrl: "https://a.openai.azure.com/openai/v1", secret: "key" });
    const dated = at({ ...params, api_base: "https://a.openai.azure.com/openai/deployments/prod" });
    assert.equal(dated.place.baseUrl, place.baseUrl);
    assert.equal(at({ model: "azure/prod" }).place.fault, "Its api_base is not set.");
    const application = { tenant_id: "t.example", client_id: "c", client_secret: "s" };
    assert.equal(typeOf(at({ ...params, api_key: undefined, ...application }).place.secret), "entra");
  });

  test("at Bedrock has its region's address and a credential document of its access key", () => {
    const key = { aws_access_key_id: "AKIAIOSFODNN7EXAMPLE", aws_secret_access_key: "secret" };
    const params = { model: "bedrock/converse/amazon.nova-lite-v1:0", aws_region_name: "eu-west-1", ...key };
    const { upstream, place } = at(params);
    assert.equal(upstream, "amazon.nova-lite-v1:0");
    assert.equal(place.baseUrl, "https://bedrock-runtime.eu-west-1.amazonaws.com");
    assert.equal(typeOf(place.secret), "aws");
    assert.match(at({ ...params, aws_access_key_id: undefined }).place.fault ?? "", /no access key/);
    assert.match(at({ ...params, aws_region_name: undefined }).place.fault ?? "", /aws_region_name is not set/);
  });

  test("at Vertex AI has its project's address, and only the JSON key of a service account", () => {
    const params = { model: "vertex_ai/gemini-2.5-pro", vertex_project: "p", vertex_location: "us-east5" };
    const key = '{"type":"service_account"}';
    const { upstream, place } = at({ ...params, vertex_credentials: key });
    assert.equal(upstream, "gemini-2.5-pro");
    assert.deepEqual(place, {
      kind: "vertex",
      baseUrl: "https://us-east5-aiplatform.googleapis.com/v1beta1/projects/p/locations/us-east5",
      secret: key,
    });
    assert.match(at({ ...params, vertex_credentials: "/keys/sa.json" }).place.fault ?? "", /not the JSON key/);
    assert.match(at({ ...params, vertex_location: undefined }).place.fault ?? "", /vertex_location is not set/);
  });
});
