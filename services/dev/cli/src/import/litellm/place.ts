import type { Place } from "../providers.ts";
import type { Deployment } from "./deployments.ts";

type Params = Deployment["params"];
type Address = Pick<Place, "baseUrl" | "secret" | "fault">;

const given = (value: string | null | undefined): string | undefined => value || undefined;

/** Azure's v1 API at the same resource, where a model's name is its deployment's. */
function azure({ api_base: base, api_key: key, tenant_id, client_id, client_secret }: Params): Address {
  if (!base) return { baseUrl: undefined, secret: undefined, fault: "Its api_base is not set." };
  const application = tenant_id && client_id && client_secret;
  const entra = application ? JSON.stringify({ type: "entra", tenant_id, client_id, client_secret }) : undefined;
  return {
    baseUrl: `${base.replace(/\/openai(\/.*)?$/, "").replace(/\/$/, "")}/openai/v1`,
    secret: given(key) ?? entra,
  };
}

function bedrock(params: Params): Address {
  const { aws_region_name: region, aws_access_key_id: id, aws_secret_access_key: secretKey } = params;
  if (!region) return { baseUrl: undefined, secret: undefined, fault: "Its aws_region_name is not set." };
  const baseUrl = given(params.api_base) ?? `https://bedrock-runtime.${region}.amazonaws.com`;
  if (params.api_key) return { baseUrl, secret: params.api_key };
  if (!id || !secretKey)
    return { baseUrl, secret: undefined, fault: "It has no access key. A role is set in a variable of the services." };
  const token = params.aws_session_token ? { session_token: params.aws_session_token } : {};
  const document = { type: "aws", access_key_id: id, secret_access_key: secretKey, ...token, region };
  return { baseUrl, secret: JSON.stringify(document) };
}

function vertex({ vertex_project: project, vertex_location: location, vertex_credentials: key }: Params): Address {
  if (!project || !location)
    return { baseUrl: undefined, secret: undefined, fault: "Its vertex_project or its vertex_location is not set." };
  const host = location === "global" ? "aiplatform.googleapis.com" : `${location}-aiplatform.googleapis.com`;
  const baseUrl = `https://${host}/v1beta1/projects/${project}/locations/${location}`;
  if (!key?.trimStart().startsWith("{"))
    return { baseUrl, secret: undefined, fault: "Its vertex_credentials are not the JSON key of a service account." };
  return { baseUrl, secret: key };
}

const clouds: Readonly<Record<string, (params: Params) => Address>> = { azure, bedrock, vertex };

/**
 * Where LiteLLM calls a deployment, and with what credential
 * (https://docs.litellm.ai/docs/providers/azure, `/bedrock` and `/vertex`).
 */
export function placeOf(kind: string | undefined, params: Params): Place {
  const cloud = kind === undefined ? undefined : clouds[kind];
  return { kind, ...(cloud?.(params) ?? { baseUrl: given(params.api_base), secret: given(params.api_key) }) };
}
