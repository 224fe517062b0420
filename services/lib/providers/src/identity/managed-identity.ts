import { type Ask, formHeaders, platformFile } from "./ask.ts";
import type { Granted, TokenIdentity } from "./grant.ts";
import { askForToken } from "./tokens.ts";

type ManagedIdentity = Extract<TokenIdentity, { type: "managed_identity" }>;
type SourceOf<Kind extends ManagedIdentity["source"]["kind"]> = Extract<ManagedIdentity["source"], { kind: Kind }>;

/** A token of the workload's own identity at Azure. @throws {UpstreamFailure} */
export async function managedToken(identity: ManagedIdentity, ask: Ask): Promise<Granted<string>> {
  const { source } = identity;
  switch (source.kind) {
    case "federated":
      return await byFederation(identity, source, ask);
    case "app_service":
      return await byAppService(identity, source, ask);
    case "instance":
      return await byInstance(identity, source, ask);
  }
}

/** https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow#third-case-access-token-request-with-a-federated-credential */
async function byFederation(
  { client_id, scope }: ManagedIdentity,
  { tokenUrl, clientId, tokenFile }: SourceOf<"federated">,
  ask: Ask,
): Promise<Granted<string>> {
  const form = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: client_id ?? clientId,
    scope,
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion: await platformFile(tokenFile),
  });
  const remedy = "Add a federated credential for the cluster's issuer and this service account to the identity.";
  const request = { issuer: "Microsoft Entra ID", url: tokenUrl, headers: formHeaders, remedy };
  return await askForToken(ask, { ...request, body: form.toString(), at: "configured" });
}

/** The parameters of both endpoints of a machine. */
function queryOf({ client_id, scope }: ManagedIdentity, version: string): string {
  const resource = scope.replace(/\/\.default$/, "");
  const more = client_id === undefined ? {} : { client_id };
  return new URLSearchParams({ "api-version": version, resource, ...more }).toString();
}

/** https://learn.microsoft.com/azure/app-service/overview-managed-identity#rest-endpoint-reference */
async function byAppService(
  identity: ManagedIdentity,
  { url, header }: SourceOf<"app_service">,
  ask: Ask,
): Promise<Granted<string>> {
  const remedy = "Turn the managed identity of the app on, and name it with client_id if it has several.";
  const request = { issuer: "Azure's identity endpoint", url: `${url}?${queryOf(identity, "2019-08-01")}` };
  return await askForToken(ask, { ...request, headers: ["x-identity-header", header], at: "machine", remedy });
}

/** https://learn.microsoft.com/entra/identity/managed-identities-azure-resources/how-to-use-vm-token */
async function byInstance(
  identity: ManagedIdentity,
  { url }: SourceOf<"instance">,
  ask: Ask,
): Promise<Granted<string>> {
  const remedy = "Assign a managed identity to the machine, and name it with client_id if it has several.";
  const place = `${url}/metadata/identity/oauth2/token?${queryOf(identity, "2018-02-01")}`;
  const request = { issuer: "Azure's instance metadata service", url: place, headers: ["metadata", "true"] };
  return await askForToken(ask, { ...request, at: "machine", remedy });
}
