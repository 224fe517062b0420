import type { AuthContext } from "@grpc/grpc-js/build/src/auth-context.js";
import { type Peer, peers } from "./access.ts";

const prefix = "URI:spiffe://gateway/";

/** The name in a certificate for a service: what its URI among the alternative names says. */
export const uriOf = (peer: Peer): string => `spiffe://gateway/${peer}`;

/**
 * Whom a certificate names, by its alternative names as Node writes them
 * (`URI:spiffe://gateway/chat, DNS:localhost`). Undefined when it names nobody we know, or more
 * than one: such a certificate is not ours.
 */
export function peerIn(subjectAltName: string | undefined): Peer | undefined {
  const uris = (subjectAltName ?? "").split(", ").filter((name) => name.startsWith("URI:"));
  const [uri = ""] = uris;
  if (uris.length !== 1 || !uri.startsWith(prefix)) return undefined;
  return peers.find((peer) => uri === `${prefix}${peer}`);
}

/** Who is calling, by the certificate that the connection was made with; undefined without one. */
export function peerOf(call: { getAuthContext(): AuthContext }): Peer | undefined {
  return peerIn(call.getAuthContext().sslPeerCertificate?.subjectaltname);
}
