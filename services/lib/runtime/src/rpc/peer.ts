import type { AuthContext } from "@grpc/grpc-js/build/src/auth-context.js";
import { type Peer, peers } from "@uag/contract/access/rpc";

/** A service's name in a certificate, by the URI among its alternative names: a SPIFFE ID. */
export interface NamedPeer {
  readonly trustDomain: string;
  readonly peer: Peer;
}

/** The trust domain of a fleet that sets no other. */
export const defaultTrustDomain = "gateway";

/** The URI of a service in its certificate. */
export const uriOf = (peer: Peer, trustDomain = defaultTrustDomain): string => `spiffe://${trustDomain}/${peer}`;

const id = /^URI:spiffe:\/\/(?<trustDomain>[^/]+)\/(?<name>[^/]+)$/;

/**
 * The identity in a certificate, by its alternative names as Node formats them
 * (`URI:spiffe://gateway/chat, DNS:localhost`). Undefined when it names no known service, or more
 * than one: such a certificate is not ours.
 */
export function peerIn(subjectAltName: string | undefined): NamedPeer | undefined {
  const uris = (subjectAltName ?? "").split(", ").filter((name) => name.startsWith("URI:"));
  const { trustDomain, name } = (uris.length === 1 && id.exec(uris[0] ?? "")?.groups) || {};
  const peer = peers.find((one) => one === name);
  return trustDomain === undefined || peer === undefined ? undefined : { trustDomain, peer };
}

/** The caller's identity, by the certificate of its connection; undefined without one. */
export function peerOf(call: { getAuthContext(): AuthContext }): NamedPeer | undefined {
  return peerIn(call.getAuthContext().sslPeerCertificate?.subjectaltname);
}
