import { createModelRequest, updateModelRequest } from "@uag/contract/requests/admin-models";
import {
  createCredentialRequest,
  createProviderRequest,
  ownModelsQuery,
  testProviderRequest,
  updateCredentialRequest,
  updateProviderRequest,
} from "@uag/contract/requests/admin-providers";
import { listOf } from "@uag/contract/responses/admin";
import { catalogModel } from "@uag/contract/responses/admin-fleet";
import {
  catalogChanges,
  ownModel,
  provider,
  providerCredential,
  providerTemplate,
  providerTest,
} from "@uag/contract/responses/admin-providers";
import { admin } from "./admin-operation.ts";
import type { Operation } from "./operation.ts";

/** Documentation of the providers' and models' settings in the running gateway. */
export const providers: Readonly<Record<string, Operation>> = {
  "admin.providers.list": admin("Catalogue", "listProviders", "Lists the providers with their credentials and states", [
    "ProviderList",
    listOf(provider),
  ]),
  "admin.providers.get": admin("Catalogue", "getProvider", "Shows a provider", ["Provider", provider]),
  "admin.providers.create": admin(
    "Catalogue",
    "createProvider",
    "Adds a provider from a template or with a base URL of its own, within a second and without a restart",
    ["ProviderCreated", provider],
    { request: createProviderRequest, status: 201 },
  ),
  "admin.providers.update": admin(
    "Catalogue",
    "updateProvider",
    "Changes a provider's base URL or settings, or enables or disables it, within a second and without a restart",
    ["ProviderChanged", provider],
    { request: updateProviderRequest },
  ),
  "admin.providers.delete": admin(
    "Catalogue",
    "deleteProvider",
    "Deletes a provider that was added over this API, with the models that only it serves; requests in progress and video tasks are completed",
    ["ProviderDeleted", provider],
  ),
  "admin.providers.test": admin(
    "Catalogue",
    "testProvider",
    "Tests a provider step by step with one of its keys: it lists the provider's models and makes the cheapest call; no account is charged, and the audit log has the cost",
    ["ProviderTest", providerTest],
    { request: testProviderRequest },
  ),
  "admin.providers.models": admin(
    "Catalogue",
    "listProviderModels",
    "Lists the models that a provider itself offers with its key, and which of them the catalogue serves",
    ["ProviderModelList", listOf(ownModel)],
    { query: ownModelsQuery },
  ),
  "admin.catalog.get": admin(
    "Catalogue",
    "getCatalogChanges",
    "Shows what was changed of the catalogue on top of its file, without credentials",
    ["CatalogChanges", catalogChanges],
  ),
  "admin.provider_templates.list": admin(
    "Catalogue",
    "listProviderTemplates",
    "Lists what a new provider may start from",
    ["ProviderTemplateList", listOf(providerTemplate)],
  ),
  "admin.models.create": admin(
    "Catalogue",
    "createModel",
    "Adds a model; requests for it are served within a second",
    ["ModelCreated", catalogModel],
    { request: createModelRequest, status: 201 },
  ),
  "admin.models.get": admin("Catalogue", "getCatalogModel", "Shows a model of the catalogue", [
    "CatalogModel",
    catalogModel,
  ]),
  "admin.models.update": admin(
    "Catalogue",
    "updateModel",
    "Changes a model, or enables or disables it; a price becomes a version of its own",
    ["ModelChanged", catalogModel],
    { request: updateModelRequest },
  ),
  "admin.models.delete": admin(
    "Catalogue",
    "deleteModel",
    "Deletes a model that was added over this API; requests in progress are completed and billed",
    ["ModelDeleted", catalogModel],
  ),
  "admin.providers.credentials.create": admin(
    "Catalogue",
    "createCredential",
    "Adds a credential to a provider; the next requests use it",
    ["CredentialCreated", providerCredential],
    { request: createCredentialRequest, status: 201 },
  ),
  "admin.providers.credentials.update": admin(
    "Catalogue",
    "updateCredential",
    "Enables or disables a provider's credential",
    ["CredentialChanged", providerCredential],
    { request: updateCredentialRequest },
  ),
  "admin.providers.credentials.delete": admin("Catalogue", "deleteCredential", "Deletes a provider's credential", [
    "CredentialDeleted",
    providerCredential,
  ]),
};
