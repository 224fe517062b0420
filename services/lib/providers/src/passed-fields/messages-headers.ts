import { type FieldTable, free, refused } from "./cost-class.ts";

/**
 * Headers of `POST /v1/messages` that Anthropic documents. A header of another name that begins
 * with `anthropic-` is passed on, and then held for as the worst case.
 */
export const messagesHeaderCosts: FieldTable = {
  "anthropic-beta": free(
    "https://platform.claude.com/docs/en/api/beta-headers",
    "What a beta adds are fields of the body, each with a class of its own; a longer context is a tier of the price.",
  ),
  "anthropic-dangerous-direct-browser-access": free("https://platform.claude.com/docs/en/api/client-sdks"),
  "anthropic-user-profile-id": refused("the gateway's own account pays the provider"),
  "anthropic-version": free("https://platform.claude.com/docs/en/api/versioning"),
  "anthropic-workspace-id": refused("the gateway's own credential determines the workspace"),
};
