import { writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { Manifests } from "./manifests.ts";
import type { Pod } from "./pod.ts";

const everyMs = 500;

/** Replaces the cluster's DNS: a file with the current pods of each Service. */
export class Names {
  readonly #file: string;
  readonly #manifests: Manifests;
  readonly #pods: readonly Pod[];
  readonly #leaving = new Set<string>();
  readonly #stopped = new AbortController();

  constructor(file: string, manifests: Manifests, pods: readonly Pod[]) {
    this.#file = file;
    this.#manifests = manifests;
    this.#pods = pods;
  }

  /** Removes a stopping pod from every Service, or adds it again. */
  async leaving(pod: string, yes: boolean): Promise<void> {
    if (yes) this.#leaving.add(pod);
    else this.#leaving.delete(pod);
    await this.#write();
  }

  /** Follows the pods' readiness until stopped. */
  async follow(): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      await this.#write();
      await sleep(everyMs, undefined, { signal: this.#stopped.signal }).catch(() => undefined);
    }
  }

  stop(): void {
    this.#stopped.abort();
  }

  async #write(): Promise<void> {
    const ready = new Set<Pod>();
    const pending = this.#pods.map(async (pod) => {
      if (!this.#leaving.has(pod.name) && (await pod.spec.isReady())) ready.add(pod);
    });
    await Promise.all(pending);
    const lines = this.#manifests.services.flatMap(({ name, service, always }) =>
      this.#pods
        .filter((pod) => pod.workload.service === service && (always || ready.has(pod)))
        .map(({ ip, name: pod, workload }) => `${ip} ${name}${workload.governedBy === name ? ` ${pod}.${name}` : ""}`),
    );
    // Writes in place, because the pods have mounted this file.
    await writeFile(this.#file, `${["127.0.0.1 localhost", ...lines].join("\n")}\n`);
  }
}
