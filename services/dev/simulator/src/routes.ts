import { anthropic } from "./anthropic/routes.ts";
import { ark } from "./ark/routes.ts";
import { awsContainer, awsInstance } from "./aws/machine.ts";
import { awsSts } from "./aws/sts.ts";
import { azure } from "./azure/routes.ts";
import { bedrock } from "./bedrock/routes.ts";
import { dashScope } from "./dashscope/routes.ts";
import { dashScopeNative } from "./dashscope-native/routes.ts";
import { azureApp, azureInstance, entra } from "./entra/routes.ts";
import { gemini } from "./gemini/routes.ts";
import { google, googleMetadata } from "./google/routes.ts";
import type { Provider } from "./http/types.ts";
import { media } from "./media/routes.ts";
import { openAi } from "./openai/routes.ts";
import { vendor } from "./vendor/routes.ts";
import { vendorVariants } from "./vendor/variants.ts";
import { vertex } from "./vertex/routes.ts";
import { voyage } from "./voyage/routes.ts";
import { xai } from "./xai/routes.ts";

/**
 * Every simulated provider. To add one: a folder with a protocol and its routes, and a line here.
 */
export const providers: readonly Provider[] = [
  openAi,
  azure,
  entra,
  azureInstance,
  azureApp,
  anthropic,
  gemini,
  vertex,
  google,
  googleMetadata,
  bedrock,
  awsSts,
  awsContainer,
  awsInstance,
  // Must precede the other one of the same provider, whose prefix contains its own.
  dashScopeNative,
  dashScope,
  ark,
  voyage,
  xai,
  vendor,
  ...vendorVariants,
  media,
];
