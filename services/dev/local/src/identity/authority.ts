// The library below requires this for its registry of parsers.
import "reflect-metadata";
import { createPrivateKey, KeyObject, X509Certificate as ReadCertificate, randomBytes } from "node:crypto";
import * as x509 from "@peculiar/x509";

export interface Pair {
  /** PEM. */
  readonly cert: string;
  /** PEM, PKCS #8. */
  readonly key: string;
}

export interface CertificateNames {
  /** Its name in listings; ignored by verifiers. */
  readonly commonName: string;
  /** The attribute by which the members of a database's set recognise each other. */
  readonly organization?: string;
  readonly uri?: string;
  readonly dns?: readonly string[];
  readonly ip?: readonly string[];
}

const dayMs = 86_400_000;
export const caDays = 3_650;
export const leafDays = 365;
/** Clocks on one machine agree, and clocks of its containers nearly. */
const skewMs = 300_000;

const curve = { name: "ECDSA", namedCurve: "P-256" } as const;
const signing = { name: "ECDSA", hash: "SHA-256" } as const;

const newKeys = () => crypto.subtle.generateKey(curve, true, ["sign", "verify"]);

type Keys = Awaited<ReturnType<typeof newKeys>>;

function life(days: number, fromMs: number): { notBefore: Date; notAfter: Date; serialNumber: string } {
  // A serial number is positive, so its first bit must not be set.
  const serialNumber = `4${randomBytes(16).toString("hex").slice(1)}`;
  return { notBefore: new Date(fromMs - skewMs), notAfter: new Date(fromMs + days * dayMs), serialNumber };
}

function pairOf(certificate: x509.X509Certificate, keys: Keys): Pair {
  const key = KeyObject.from(keys.privateKey).export({ type: "pkcs8", format: "pem" });
  return { cert: `${certificate.toString("pem")}\n`, key: String(key) };
}

/** Creates a self-signed certification authority. */
export async function makeAuthority(fromMs = Date.now()): Promise<Pair> {
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    ...life(caDays, fromMs),
    name: "CN=AI gateway fleet",
    keys,
    signingAlgorithm: signing,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return pairOf(certificate, keys);
}

/** Issues a certificate for both ends of a connection, and its key. */
export async function issue(authority: Pair, names: CertificateNames, fromMs = Date.now()): Promise<Pair> {
  const { commonName, organization, uri, dns = [], ip = [] } = names;
  const keys = await newKeys();
  const issuer = new x509.X509Certificate(authority.cert);
  const alternatives: x509.JsonGeneralName[] = [
    ...(uri === undefined ? [] : [{ type: "url" as const, value: uri }]),
    ...dns.map((value) => ({ type: "dns" as const, value })),
    ...ip.map((value) => ({ type: "ip" as const, value })),
  ];
  const { serverAuth, clientAuth } = x509.ExtendedKeyUsage;
  const certificate = await x509.X509CertificateGenerator.create({
    ...life(leafDays, fromMs),
    subject: organization === undefined ? `CN=${commonName}` : `CN=${commonName}, O=${organization}`,
    issuer: issuer.subject,
    publicKey: keys.publicKey,
    signingKey: createPrivateKey(authority.key).toCryptoKey(curve, false, ["sign"]),
    signingAlgorithm: signing,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([serverAuth, clientAuth]),
      new x509.SubjectAlternativeNameExtension(alternatives),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
    ],
  });
  return pairOf(certificate, keys);
}

/**
 * True while a certificate has a third of its lifetime left, and was signed by this authority
 * (possibly itself).
 */
export function isFresh(cert: string, authority: string, nowMs = Date.now()): boolean {
  const read = new ReadCertificate(cert);
  const [from, to] = [read.validFromDate.getTime(), read.validToDate.getTime()];
  return nowMs < to - (to - from) / 3 && read.verify(new ReadCertificate(authority).publicKey);
}
