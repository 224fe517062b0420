import { setTimeout as sleep } from "node:timers/promises";
import { type CertificateNames, issue, makeAuthority, type Pair } from "@uag/local/identity/authority";
import type { Kubectl } from "./kubectl.ts";

/** What cert-manager does with the Certificates of the charts, until its own controllers run here. */

interface Certificate {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: {
    readonly secretName: string;
    readonly commonName: string;
    readonly subject?: { readonly organizations: readonly string[] };
    readonly uris?: readonly string[];
    readonly dnsNames?: readonly string[];
  };
}

function namesOf({ commonName, subject, uris, dnsNames }: Certificate["spec"]): CertificateNames {
  const [organization] = subject?.organizations ?? [];
  const [uri] = uris ?? [];
  return {
    commonName,
    ...(organization === undefined ? {} : { organization }),
    ...(uri === undefined ? {} : { uri }),
    ...(dnsNames === undefined ? {} : { dns: dnsNames }),
  };
}

async function secretOf(authority: Pair, { metadata: { namespace }, spec }: Certificate): Promise<object> {
  const { cert, key } = await issue(authority, namesOf(spec));
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: spec.secretName, namespace },
    type: "kubernetes.io/tls",
    stringData: { "tls.crt": cert, "tls.key": key, "tls-combined.pem": `${key}${cert}`, "ca.crt": authority.cert },
  };
}

const pollMs = 1_000;

/** Issues every new Certificate from one authority until it is stopped. */
export class CertificateController implements AsyncDisposable {
  readonly #stopped = new AbortController();
  readonly #working: Promise<void>;
  readonly #issued = new Set<string>();

  constructor(kubectl: Kubectl) {
    this.#working = this.#follow(kubectl);
  }

  async #follow(kubectl: Kubectl): Promise<void> {
    const authority = await makeAuthority();
    for (; !this.#stopped.signal.aborted; await sleep(pollMs))
      await this.#issue(kubectl, authority).catch((error: unknown) => {
        if (!this.#stopped.signal.aborted) process.stderr.write(`certificates: ${String(error)}\n`);
      });
  }

  async #issue(kubectl: Kubectl, authority: Pair): Promise<void> {
    const all = await kubectl.list<Certificate>("/apis/cert-manager.io/v1/certificates");
    const wanted = all.filter(({ metadata }) => !this.#issued.has(metadata.name));
    if (wanted.length === 0) return;
    await kubectl.apply(await Promise.all(wanted.map((one) => secretOf(authority, one))));
    for (const { metadata } of wanted) this.#issued.add(metadata.name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped.abort();
    await this.#working;
  }
}
