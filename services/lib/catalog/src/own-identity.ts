import { isIP } from "node:net";

/** Where the workload's role at AWS gets its temporary access keys. */
export type AwsSource =
  | { readonly kind: "web_identity"; readonly roleArn: string; readonly tokenFile: string }
  | {
      readonly kind: "container";
      readonly url: string;
      readonly token?: string | undefined;
      readonly tokenFile?: string | undefined;
    }
  | { readonly kind: "instance"; readonly url: string };

/** Where the workload's identity at Azure gets its tokens. */
export type AzureSource =
  | {
      readonly kind: "federated";
      readonly tokenUrl: string;
      readonly clientId: string;
      readonly tokenFile: string;
    }
  | { readonly kind: "app_service"; readonly url: string; readonly header: string }
  | { readonly kind: "instance"; readonly url: string };

/** ECS, and EKS Pod Identity (https://docs.aws.amazon.com/sdkref/latest/guide/feature-container-credentials.html). */
const containerHosts = ["169.254.170.2", "169.254.170.23", "[fd00:ec2::23]"];
/**
 * The metadata of a machine; Azure and Google have the first address too
 * (https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/configuring-instance-metadata-service.html).
 */
const instanceHosts = ["169.254.169.254", "[fd00:ec2::254]"];

const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "[::1]" || (isIP(host) === 4 && host.startsWith("127."));

/** Whether a URL is of the machine: one of these hosts by http, or a loopback address. */
function isLocal(text: string, hosts: readonly string[]): boolean {
  const url = URL.parse(text);
  if (url === null || url.protocol !== "http:" || url.username !== "" || url.password !== "") return false;
  return hosts.includes(url.hostname) || isLoopback(url.hostname);
}

/** A token's URL: https, or the metadata of the machine. */
export const isTokenSource = (url: string): boolean => isHttps(url) || isLocal(url, instanceHosts);

const isHttps = (text: string): boolean => URL.parse(text)?.protocol === "https:";

/**
 * The source that AWS has set in the environment, in the order of AWS's own clients
 * (https://docs.aws.amazon.com/sdkref/latest/guide/standardized-credentials.html), or why there is none.
 */
export function awsSourceIn(env: NodeJS.ProcessEnv): AwsSource | string {
  const { AWS_WEB_IDENTITY_TOKEN_FILE: tokenFile, AWS_ROLE_ARN: roleArn } = env;
  if (tokenFile) {
    if (!roleArn) return "AWS_WEB_IDENTITY_TOKEN_FILE is set without AWS_ROLE_ARN";
    return { kind: "web_identity", roleArn, tokenFile };
  }
  return containerSourceIn(env) ?? instanceSourceIn(env);
}

function containerSourceIn(env: NodeJS.ProcessEnv): AwsSource | string | undefined {
  const { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: path, AWS_CONTAINER_CREDENTIALS_FULL_URI: full } = env;
  const secrets = {
    token: env["AWS_CONTAINER_AUTHORIZATION_TOKEN"] || undefined,
    tokenFile: env["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"] || undefined,
  };
  const url = path ? `http://${containerHosts[0]}${path}` : full;
  if (!url) return undefined;
  if (isLocal(url, containerHosts) || (full && isHttps(full))) return { kind: "container", url, ...secrets };
  return path
    ? "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI is not a path"
    : `AWS_CONTAINER_CREDENTIALS_FULL_URI must be an https URL, or http at ${containerHosts.join(", ")} or a loopback address`;
}

function instanceSourceIn(env: NodeJS.ProcessEnv): AwsSource | string {
  if (env["AWS_EC2_METADATA_DISABLED"]?.toLowerCase() === "true")
    return "the environment names no role of AWS, and AWS_EC2_METADATA_DISABLED is true";
  const url = env["AWS_EC2_METADATA_SERVICE_ENDPOINT"] || `http://${instanceHosts[0]}`;
  if (isLocal(url, instanceHosts)) return { kind: "instance", url: url.replace(/\/$/, "") };
  return `AWS_EC2_METADATA_SERVICE_ENDPOINT must be http at ${instanceHosts.join(", ")} or a loopback address`;
}

/** The region that AWS has set in the environment. */
export const awsRegionIn = (env: NodeJS.ProcessEnv): string | undefined =>
  env["AWS_REGION"] || env["AWS_DEFAULT_REGION"] || undefined;

/** App Service assigns an address of these to each sandbox; no metadata server is among them. */
const sandboxHost = /^169\.254\.1(?:2[89]|[345]\d)\.\d{1,3}$/;

/**
 * The source that Azure has set in the environment, in the order of Azure's own clients
 * (https://learn.microsoft.com/azure/developer/javascript/sdk/authentication/credential-chains), or why there is none.
 */
export function azureSourceIn(env: NodeJS.ProcessEnv): AzureSource | string {
  return federatedSourceIn(env) ?? appServiceSourceIn(env) ?? azureInstanceSourceIn(env);
}

/** https://learn.microsoft.com/azure/aks/workload-identity-overview */
function federatedSourceIn(env: NodeJS.ProcessEnv): AzureSource | string | undefined {
  const { AZURE_FEDERATED_TOKEN_FILE: tokenFile, AZURE_TENANT_ID: tenant, AZURE_CLIENT_ID: clientId } = env;
  if (!tokenFile) return undefined;
  if (!tenant || !clientId) return "AZURE_FEDERATED_TOKEN_FILE is set without AZURE_TENANT_ID and AZURE_CLIENT_ID";
  const host = (env["AZURE_AUTHORITY_HOST"] || "https://login.microsoftonline.com").replace(/\/$/, "");
  if (!isTokenSource(host)) return "AZURE_AUTHORITY_HOST must be an https URL";
  return {
    kind: "federated",
    tokenUrl: `${host}/${encodeURIComponent(tenant)}/oauth2/v2.0/token`,
    clientId,
    tokenFile,
  };
}

/** https://learn.microsoft.com/azure/app-service/overview-managed-identity#rest-endpoint-reference */
function appServiceSourceIn(env: NodeJS.ProcessEnv): AzureSource | string | undefined {
  const { IDENTITY_ENDPOINT: url, IDENTITY_HEADER: header } = env;
  if (!url || !header) return undefined;
  const host = URL.parse(url)?.hostname ?? "";
  if (isLocal(url, sandboxHost.test(host) ? [host] : [])) return { kind: "app_service", url, header };
  return "IDENTITY_ENDPOINT must be http at an address of the sandbox or a loopback address";
}

/** https://learn.microsoft.com/entra/identity/managed-identities-azure-resources/how-to-use-vm-token */
function azureInstanceSourceIn(env: NodeJS.ProcessEnv): AzureSource | string {
  const url = env["AZURE_POD_IDENTITY_AUTHORITY_HOST"] || `http://${instanceHosts[0]}`;
  if (isLocal(url, instanceHosts)) return { kind: "instance", url: url.replace(/\/$/, "") };
  return `AZURE_POD_IDENTITY_AUTHORITY_HOST must be http at ${instanceHosts[0]} or a loopback address`;
}
