import { AccessTokens } from "../http/access-tokens.ts";

/** Granted to service accounts. */
export const googleTokens = new AccessTokens("ya29.c.");
