import type { DelegatedCredentials } from "../admin-api/credentials.ts";
import type { SimulatedProviders } from "../admin-api/simulated.ts";
import type { Audit } from "../audit.ts";
import type { Events } from "../events.ts";
import type { ConsoleMail } from "../mail/console-mail.ts";
import type { Buckets } from "../store/buckets.ts";
import type { Store } from "../store/store.ts";
import type { TwoFactor } from "../two-factor/two-factor.ts";
import type { Devices } from "./devices.ts";
import type { Passwords } from "./passwords.ts";
import type { Sessions } from "./sessions.ts";
import type { SignInThrottle } from "./throttle.ts";

/** The dependencies of sign-in and user management. */
export interface SignInParts {
  readonly store: Store;
  readonly buckets: Buckets;
  readonly sessions: Sessions;
  readonly passwords: Passwords;
  readonly throttle: SignInThrottle;
  readonly devices: Devices;
  readonly twoFactor: TwoFactor;
  readonly mail: ConsoleMail;
  readonly credentials: DelegatedCredentials;
  readonly audit: Audit;
  readonly events: Events;
  /** Where clients reach the gateway. */
  readonly baseUrl: string;
  readonly version: string;
  readonly simulated: SimulatedProviders;
}
