import type { Peer } from "@uag/kit/rpc/access.ts";
import { type Identity, identityFrom, insecure } from "@uag/kit/rpc/identity.ts";

/** @param dir the `tls` folder of a fleet's data directory; undefined: plaintext */
export function identityOf(name: Peer, dir: string | undefined): Identity {
  if (dir === undefined) return insecure;
  return identityFrom({ cert: `${dir}/${name}.crt`, key: `${dir}/${name}.key`, ca: `${dir}/ca.crt` });
}
