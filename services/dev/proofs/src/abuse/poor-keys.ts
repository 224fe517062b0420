import { callAdmin } from "@uag/harness/fleet/admin-call";
import type { Run } from "@uag/local/run-file";

const fundsUsd = "1000";

/** Creates valid keys of an account without money, with a limit of one request per minute. */
export class UnfundedKeys {
  readonly #run: Run;
  #account: string | undefined;

  constructor(run: Run) {
    this.#run = run;
  }

  /** Creates an unused key, so that its limit does not interfere. */
  async next(): Promise<string> {
    return (await this.#call("/keys", { account_id: await this.account(), rpm_limit: 1 }))["key"] as string;
  }

  /** Creates a key of an account of its own, with money for the largest responses. */
  async funded(): Promise<string> {
    const { id } = await this.#call("/accounts", { name: "somebody" });
    await this.#call(`/accounts/${id}/top-ups`, { amount_usd: fundsUsd, reference: `abuse-${id}` });
    return (await this.#call("/keys", { account_id: id }))["key"] as string;
  }

  /** The id of the keys' account. */
  async account(): Promise<string> {
    this.#account ??= (await this.#call("/accounts", { name: "nobody" }))["id"] as string;
    return this.#account;
  }

  #call(path: string, body: object): Promise<Record<string, unknown>> {
    return callAdmin(this.#run, "POST", path, body);
  }
}
