import type { X509Certificate } from "node:crypto";
import { ChannelCredentials, experimental, ServerCredentials } from "@grpc/grpc-js";
import type { Peer } from "@uag/contract/access/rpc";
import { ConfigError, type TlsSettings } from "../config.ts";
import type { Logger } from "../log.ts";
import { type CertificateFiles, Certificates } from "./certificates.ts";
import { defaultTrustDomain, peerIn } from "./peer.ts";

/** This process's identity to its peers, and how it verifies theirs. */
export interface Identity {
  /** Whether callers must authenticate and are checked against the access table. */
  readonly enforced: boolean;
  /** The trust domains whose services are peers. */
  readonly trustDomains: readonly string[];
  readonly server: ServerCredentials;
  /** Credentials for calls to peers whose certificate names one of these, and to no others. */
  channel(servers: readonly Peer[]): ChannelCredentials;
  /** This process's certificate; undefined without TLS. */
  certificate(): X509Certificate | undefined;
  /**
   * Accepts a peer in this process as a TLS handshake would accept one at the other end of a socket.
   * @param servers the identities that the peer may have; default any
   * @throws {Error} when it is not accepted
   */
  verify(peer: X509Certificate | undefined, servers?: readonly Peer[]): void;
}

/**
 * No TLS, and everyone may call everything: for tests, and where other means restrict access.
 */
export const insecure: Identity = {
  enforced: false,
  trustDomains: [],
  server: ServerCredentials.createInsecure(),
  channel: () => ChannelCredentials.createInsecure(),
  certificate: () => undefined,
  verify(peer) {
    if (peer !== undefined) throw new Error("the peer requires TLS");
  },
};

const reloadMs = 5_000;

/**
 * An identity from files, which may be replaced at any time. @throws when they cannot be read or do
 * not match
 */
export function identityFrom(
  files: CertificateFiles,
  options: { onChange?: (failure: unknown) => void; everyMs?: number; trustDomains?: readonly string[] } = {},
): Identity {
  const { trustDomains = [defaultTrustDomain] } = options;
  const certificates = new Certificates(files, options.everyMs ?? reloadMs, options.onChange ?? (() => {}));
  const { createCertificateProviderChannelCredentials, createCertificateProviderServerCredentials } = experimental;
  // One per set of servers: channels share connections only when they share their credentials.
  const channels = new Map<string, ChannelCredentials>();
  return {
    enforced: true,
    trustDomains,
    server: createCertificateProviderServerCredentials(certificates, certificates, true),
    channel(servers) {
      const name = servers.join();
      const known = channels.get(name);
      if (known !== undefined) return known;
      const made = createCertificateProviderChannelCredentials(certificates, certificates, {
        checkServerIdentity: (_host, { subjectaltname }) => checkServer(subjectaltname, { servers, trustDomains }),
      });
      channels.set(name, made);
      return made;
    },
    certificate: () => certificates.own,
    verify(peer, servers) {
      if (peer === undefined || !certificates.trusts(peer))
        throw new Error("the peer has no valid certificate of the CA");
      const failure = servers && checkServer(peer.subjectAltName, { servers, trustDomains });
      if (failure !== undefined) throw failure;
    },
  };
}

/** Hostnames are ignored: they change, and owning one does not make a server billing. */
function checkServer(
  subjectAltName: string | undefined,
  { servers, trustDomains }: { readonly servers: readonly Peer[]; readonly trustDomains: readonly string[] },
): Error | undefined {
  const named = peerIn(subjectAltName);
  if (named !== undefined && servers.includes(named.peer) && trustDomains.includes(named.trustDomain)) return undefined;
  const found = named === undefined ? "no known service" : `${named.peer} of ${named.trustDomain}`;
  return new Error(
    `the server's certificate identifies ${found}, expected ${servers.join(" or ")} of ${trustDomains.join(" or ")}`,
  );
}

/**
 * Opens the identity that the settings describe. @throws {ConfigError} unless they name all three
 * files, or explicitly turn TLS off
 */
export function openIdentity(settings: TlsSettings, log: Logger): Identity {
  const { TLS, TLS_CERT_FILE: cert, TLS_KEY_FILE: key, TLS_CA_FILE: ca, TLS_TRUST_DOMAINS: trustDomains } = settings;
  if (TLS === "off") {
    log.warn("TLS is off: any client that reaches this process can call it");
    return insecure;
  }
  if (cert === undefined || key === undefined || ca === undefined) {
    throw new ConfigError("TLS_CERT_FILE, TLS_KEY_FILE and TLS_CA_FILE must be set (or TLS=off, on a private network)");
  }
  const onChange = (failure: unknown): void => {
    if (failure === undefined) log.info("certificates reloaded");
    else log.warn({ err: failure }, "reloading certificates failed; keeping the previous ones");
  };
  return identityFrom({ cert, key, ca }, { onChange, trustDomains });
}
