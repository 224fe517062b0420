import { newAccount } from "@uag/harness/fleet/limited-key";
import type { Receiver } from "@uag/harness/fleet/receiver";
import type { TestFleet } from "@uag/harness/fleet/with-fleet";
import { waitFor } from "@uag/harness/testing/wait-for";
import { type SignedIn, signInAsOperator } from "../abuse/console-member.ts";
import { path as videoPath } from "../soak/video-load.ts";
import { newSecret } from "../soak/video-secret.ts";
import type { Action } from "./actions.ts";
import { quickModel } from "./fleet.ts";

/** Objects created under one secret that must stay valid under the next. */
export interface Keepsakes {
  /** Actions that use the objects, by name. */
  readonly actions: Readonly<Record<string, Action>>;
  /** Creates more objects under the current secrets. */
  make(label: string): Promise<void>;
  /** Waits for webhooks in flight. */
  arrived(): Promise<void>;
  /** One sentence for each invalid object. */
  violations(): string[];
}

const wealth = 100_000_000_000n;

function ensure(isGood: boolean, what: string): void {
  if (!isGood) throw new Error(what);
}

/** Fetches a file from the media service by its signed URL. */
async function open(url: string): Promise<void> {
  const response = await fetch(url);
  await response.arrayBuffer();
  ensure(response.ok, `${response.status} for ${url}`);
}

async function lookAround({ run }: TestFleet, session: SignedIn): Promise<void> {
  const response = await fetch(`${run.console_url}/api/admin/v1/keys?limit=1`, { headers: session });
  ensure(response.ok, `the console responded ${response.status} ${(await response.text()).slice(0, 300)}`);
}

/** Creates the first object of each kind; webhooks go to the receiver. */
export async function makeKeepsakes(fleet: TestFleet, receiver: Receiver, random: () => number): Promise<Keepsakes> {
  const { client, key } = await newAccount(fleet, wealth);
  receiver.secret = await newSecret(fleet, key.accountId);
  const session = await signInAsOperator(fleet.run);
  const files: string[] = [];
  const answers: string[] = [];
  let tasks = 0;
  const askFor = (label: string) => {
    const body = { model: quickModel, messages: [{ role: "user", content: `say: ${label}` }] };
    return client.post("/v1/chat/completions", body, { headers: { "idempotency-key": label } });
  };
  const pick = (list: readonly string[]): string => list[Math.floor(random() * list.length)] ?? "";
  const make = async (label: string): Promise<void> => {
    const image = await client.post("/v1/images/generations", { model: "gemini-2.5-flash-image", prompt: label });
    files.push(...image.json<{ data: { url: string }[] }>().data.map(({ url }) => url));
    const { status, text } = await askFor(label);
    ensure(status === 200, `${status} ${text}`);
    answers.push(label);
  };
  await make("first");
  return {
    make,
    actions: {
      "stored file": () => open(pick(files)),
      "stored response": async () => {
        const { status, headers, text } = await askFor(pick(answers));
        ensure(
          status === 200 && headers.has("idempotent-replayed"),
          `the response was not replayed: ${status} ${text}`,
        );
      },
      "console session": () => lookAround(fleet, session),
      webhook: async () => {
        const body = { model: "grok-imagine-video", duration: 3, resolution: "480p", prompt: "a boat" };
        const { status, text } = await client.post(videoPath, { ...body, webhook_url: receiver.url });
        ensure(status === 202, `${status} ${text}`);
        tasks++;
      },
    },
    async arrived() {
      await waitFor(() => receiver.received.length >= tasks, { timeoutMs: 120_000, what: "every webhook" });
    },
    violations: () => {
      const forged = receiver.received.filter(({ verified }) => !verified).length;
      return forged === 0 ? [] : [`${forged} of ${receiver.received.length} webhooks have an invalid signature.`];
    },
  };
}
