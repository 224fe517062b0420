import type { AuthContext } from "@grpc/grpc-js/build/src/auth-context.js";
import { type Peer, peers } from "@uag/contract/access/rpc";

const prefix = "URI:spiffe://gateway/";

/** A service's name in a certificate: the URI among its alternative names. */
export const uriOf = (peer: Peer): string => `spiffe://gateway/${peer}`;

/**
 * The identity in a certificate, by its alternative names as Node formats them
 * (`URI:spiffe://gateway/chat, DNS:localhost`). Undefined when it names no known service, or more
 * than one: such a certificate is not ours.
 */
export function peerIn(subjectAltName: string | undefined): Peer | undefined {
  const uris = (subjectAltName ?? "").split(", ").filter((name) => name.startsWith("URI:"));
  const [uri = ""] = uris;
  if (uris.length !== 1 || !uri.startsWith(prefix)) return undefined;
  return peers.find((peer) => uri === `${prefix}${peer}`);
}

/** The caller's identity, by the certificate of its connection; undefined without one. */
export function peerOf(call: { getAuthContext(): AuthContext }): Peer | undefined {
  return peerIn(call.getAuthContext().sslPeerCertificate?.subjectaltname);
}
