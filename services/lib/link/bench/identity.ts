import type { Peer } from "@uag/contract/access/rpc";
import { type Identity, identityFrom, insecure } from "@uag/runtime/rpc/identity";

/** @param dir the `tls` folder of a fleet's data directory; undefined: plaintext */
export function identityOf(name: Peer, dir: string | undefined): Identity {
  if (dir === undefined) return insecure;
  return identityFrom({ cert: `${dir}/${name}.crt`, key: `${dir}/${name}.key`, ca: `${dir}/ca.crt` });
}
