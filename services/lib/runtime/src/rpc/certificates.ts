import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import type { experimental } from "@grpc/grpc-js";

/**
 * Paths of PEM files: the certificate, its private key, and the CA that signed all peers'
 * certificates.
 */
export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
  readonly ca: string;
}

const certificateStart = "-----BEGIN CERTIFICATE-----";

type CaListener = experimental.CaCertificateUpdateListener;
type IdentityListener = experimental.IdentityCertificateUpdateListener;

/**
 * Certificate, key and CA from files, reread every few seconds for as long as a connection may need
 * them. Files that do not match (one of them is just being replaced) are ignored: the last valid
 * ones stay in use.
 */
export class Certificates implements experimental.CertificateProvider {
  readonly #files: CertificateFiles;
  readonly #everyMs: number;
  readonly #onChange: (failure: unknown) => void;
  readonly #caListeners = new Set<CaListener>();
  readonly #identityListeners = new Set<IdentityListener>();
  #current: { cert: Buffer; key: Buffer; ca: Buffer };
  #timer: NodeJS.Timeout | undefined;
  #parsed:
    | { readonly from: object; readonly own: X509Certificate; readonly authorities: X509Certificate[] }
    | undefined;

  /**
   * @param onChange called for every change that was applied (undefined) or failed (the error)
   * @throws when a file cannot be read, or the files do not match
   */
  constructor(files: CertificateFiles, everyMs: number, onChange: (failure: unknown) => void) {
    this.#files = files;
    this.#everyMs = everyMs;
    this.#onChange = onChange;
    this.#current = this.#read();
  }

  #read(): { cert: Buffer; key: Buffer; ca: Buffer } {
    const { cert, key, ca } = this.#files;
    const read = { cert: readFileSync(cert), key: readFileSync(key), ca: readFileSync(ca) };
    createSecureContext(read);
    return read;
  }

  get #certificates() {
    if (this.#parsed?.from === this.#current) return this.#parsed;
    const { cert, ca } = this.#current;
    const [, ...rests] = ca.toString().split(certificateStart);
    const authorities = rests.map((rest) => new X509Certificate(certificateStart + rest));
    this.#parsed = { from: this.#current, own: new X509Certificate(cert), authorities };
    return this.#parsed;
  }

  /** The certificate in use. */
  get own(): X509Certificate {
    return this.#certificates.own;
  }

  /** Whether a certificate is signed by the CA and valid now. */
  trusts(certificate: X509Certificate): boolean {
    const now = Date.now();
    if (now < certificate.validFromDate.getTime() || now > certificate.validToDate.getTime()) return false;
    return this.#certificates.authorities.some((ca) => certificate.checkIssued(ca) && certificate.verify(ca.publicKey));
  }

  #refresh(): void {
    try {
      const { cert, key, ca } = this.#current;
      const read = this.#read();
      if (read.cert.equals(cert) && read.key.equals(key) && read.ca.equals(ca)) return;
      this.#current = read;
    } catch (error) {
      this.#onChange(error);
      return;
    }
    for (const listener of this.#caListeners) this.#notifyCa(listener);
    for (const listener of this.#identityListeners) this.#notifyIdentity(listener);
    this.#onChange(undefined);
  }

  #notifyCa(listener: CaListener): void {
    listener({ caCertificate: this.#current.ca });
  }

  #notifyIdentity(listener: IdentityListener): void {
    listener({ certificate: this.#current.cert, privateKey: this.#current.key });
  }

  addCaCertificateListener(listener: CaListener): void {
    this.#caListeners.add(listener);
    this.#watch();
    process.nextTick(() => this.#notifyCa(listener));
  }

  removeCaCertificateListener(listener: CaListener): void {
    this.#caListeners.delete(listener);
    this.#watch();
  }

  addIdentityCertificateListener(listener: IdentityListener): void {
    this.#identityListeners.add(listener);
    this.#watch();
    process.nextTick(() => this.#notifyIdentity(listener));
  }

  removeIdentityCertificateListener(listener: IdentityListener): void {
    this.#identityListeners.delete(listener);
    this.#watch();
  }

  #watch(): void {
    const wanted = this.#caListeners.size + this.#identityListeners.size > 0;
    if (wanted === (this.#timer !== undefined)) return;
    clearInterval(this.#timer);
    this.#timer = wanted ? setInterval(() => this.#refresh(), this.#everyMs).unref() : undefined;
  }
}
