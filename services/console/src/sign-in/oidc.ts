import { GatewayError } from "@uag/contract/errors/gateway-error";
import * as client from "openid-client";
import { z } from "zod";
import type { ConsoleSettings } from "../config.ts";
import type { RoleAssignment } from "../people/manage.ts";
import { type Role, roles } from "../store/users.ts";

/** The state of a sign-in until the browser returns; kept in a cookie. */
export interface PendingSignIn {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** The page of the console that was requested. */
  readonly returnTo: string;
}

/** The person who has signed in at the provider. */
export interface OidcPerson extends RoleAssignment {
  /** `<issuer> <subject>` */
  readonly subject: string;
  readonly email: string;
  readonly name: string;
}

interface Mapping extends RoleAssignment {
  readonly value: string;
}

const timeoutSeconds = 10;
const maxEmailLength = 254;
const maxNameLength = 100;

const reported = z.object({
  sub: z.string().min(1).max(255),
  email: z.string().min(3).max(maxEmailLength),
  name: z.string().optional(),
});

function mappingOf(text: string): Mapping {
  const at = text.lastIndexOf("=");
  const [name = "", ...account] = text.slice(at + 1).split(":");
  const role = roles.find((known) => known === name) as Role;
  return { value: text.slice(0, at), role, accountId: account.length === 0 ? null : account.join(":") };
}

/**
 * Some providers send the claim as text. Without the claim, the provider vouches for its addresses.
 * https://openid.net/specs/openid-connect-core-1_0.html#StandardClaims
 */
const isVerified = (claim: unknown): boolean => claim === undefined || claim === true || claim === "true";

const denied = (text: string): GatewayError => new GatewayError("permission_denied", text);

/** Sign-in with an OpenID Connect provider: the code flow with PKCE, state and nonce. */
export class Oidc {
  readonly #settings: ConsoleSettings;
  readonly #redirectUri: string;
  readonly #mappings: readonly Mapping[];
  #found: Promise<client.Configuration> | undefined;

  constructor(settings: ConsoleSettings, baseUrl: string) {
    this.#settings = settings;
    this.#redirectUri = `${baseUrl}/console/api/oidc/callback`;
    this.#mappings = settings.OIDC_ROLES.map(mappingOf);
  }

  get label(): string {
    return this.#settings.OIDC_LABEL;
  }

  /** The address to redirect the browser to, and the state to keep until it returns. */
  async begin(returnTo: string): Promise<{ url: URL; pending: PendingSignIn }> {
    const config = await this.#discover();
    const verifier = client.randomPKCECodeVerifier();
    const pending = { state: client.randomState(), nonce: client.randomNonce(), verifier, returnTo };
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: this.#redirectUri,
      scope: this.#settings.OIDC_SCOPES,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      state: pending.state,
      nonce: pending.nonce,
    });
    return { url, pending };
  }

  /**
   * The person who has signed in, by the query of the callback.
   * @throws {GatewayError} `permission_denied` for a person without a role
   * @throws {Error} for a response that is not the provider's, or belongs to another browser
   */
  async end(query: string, pending: PendingSignIn): Promise<OidcPerson> {
    const config = await this.#discover();
    const tokens = await client.authorizationCodeGrant(config, new URL(this.#redirectUri + query), {
      pkceCodeVerifier: pending.verifier,
      expectedState: pending.state,
      expectedNonce: pending.nonce,
      idTokenExpected: true,
    });
    const idClaims: Readonly<Record<string, unknown>> = tokens.claims() ?? {};
    const hasUserInfo = config.serverMetadata().userinfo_endpoint !== undefined;
    const more = hasUserInfo ? await client.fetchUserInfo(config, tokens.access_token, String(idClaims["sub"])) : {};
    return this.#personOf({ ...idClaims, ...more });
  }

  #personOf(claims: Readonly<Record<string, unknown>>): OidcPerson {
    const { success, data } = reported.safeParse(claims);
    if (!success) throw denied("The provider sent no e-mail address.");
    if (!isVerified(claims["email_verified"])) throw denied("Your e-mail address is not verified at the provider.");
    const values = new Set([claims[this.#settings.OIDC_ROLE_CLAIM]].flat().map(String));
    const assignment = this.#mappings.find(({ value }) => values.has(value));
    if (assignment === undefined) throw denied("You have no role in this gateway. Ask its administrator.");
    const { role, accountId } = assignment;
    const { sub, email, name = "" } = data;
    const subject = `${this.#settings.OIDC_ISSUER} ${sub}`;
    return { role, accountId, subject, email: email.toLowerCase(), name: name.slice(0, maxNameLength) };
  }

  /** The provider's metadata, fetched once. */
  #discover(): Promise<client.Configuration> {
    const { OIDC_ISSUER: issuer = "", OIDC_CLIENT_ID: id = "", OIDC_CLIENT_SECRET: secret } = this.#settings;
    const server = new URL(issuer);
    const method = secret === undefined ? client.None() : client.ClientSecretBasic(secret);
    // For providers on a private network or the same machine.
    const execute = server.protocol === "http:" ? [client.allowInsecureRequests] : [];
    this.#found ??= client
      .discovery(server, id, undefined, method, { execute, timeout: timeoutSeconds })
      .catch((cause: unknown) => {
        this.#found = undefined;
        throw new GatewayError("service_unavailable", "The sign-in provider cannot be reached.", { cause });
      });
    return this.#found;
  }
}
