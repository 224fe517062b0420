import { setTimeout as sleep } from "node:timers/promises";
import type { TestClient } from "@uag/harness/fleet/client";
import type { TestFleet } from "@uag/harness/fleet/with-fleet";
import { Load, type LoadResponse } from "../soak/load.ts";
import { allEnded, listAll, path as videoPath } from "../soak/video-load.ts";
import { type Action, actions } from "./actions.ts";
import { quickModel, slowModel } from "./fleet.ts";
import { Tally } from "./tally.ts";

export interface MixedLoadOptions {
  readonly fleet: TestFleet;
  /** The clients that chat, in turn. */
  readonly clients: readonly TestClient[];
  readonly random: () => number;
  /** Number of words of a long stream. */
  readonly words: number;
  /** Names of {@link actions}; default all. */
  readonly only?: readonly string[];
  /** Further actions. */
  readonly more?: Readonly<Record<string, Action>>;
  readonly videos?: boolean;
  /** Refusals that clients must expect. */
  readonly allowed?: (what: string) => boolean;
}

const jsonAtOnce = 4;
const streamsAtOnce = 6;
const actionPauseMs = 250;
const videoPauseMs = 500;
const videoPatienceMs = 120_000;

/** Runs all actions of clients and administrators concurrently until it is stopped. */
export class MixedLoad {
  readonly tally: Tally;
  readonly #options: MixedLoadOptions;
  readonly #chat: readonly Load[];
  readonly #stop = new AbortController();
  readonly #working: Promise<unknown>;
  /** Tasks that were accepted, by client. */
  readonly #videos = new Map<TestClient, number>();

  constructor(options: MixedLoadOptions) {
    const { fleet, clients, random, words, only, more, videos = true } = options;
    this.#options = options;
    this.tally = new Tally(options.allowed);
    const long = { messages: [{ role: "user", content: `repeat ${words} words` }] };
    const seen = (kind: string) => (response: LoadResponse) => this.#seen(kind, response);
    this.#chat = [
      new Load({
        clients,
        kinds: ["json", "stream"],
        model: quickModel,
        concurrency: jsonAtOnce,
        random,
        seen: seen("chat"),
      }),
      new Load({
        clients,
        kinds: ["stream"],
        model: slowModel,
        body: long,
        concurrency: streamsAtOnce,
        random,
        seen: seen("long stream"),
      }),
    ];
    const usual = Object.entries(actions).filter(([name]) => only?.includes(name) ?? true);
    const repeated = [...usual, ...Object.entries(more ?? {})].map(([name, act]) =>
      this.#repeat(name, actionPauseMs, (n) => act(fleet, clients[n % clients.length] as TestClient)),
    );
    if (videos) repeated.push(this.#repeat("video", videoPauseMs, (n) => this.#submit(n)));
    this.#working = Promise.all(repeated);
  }

  #seen(kind: string, response: LoadResponse): void {
    const { outcome, requestId, failure = "", startedAtMs, endedAtMs } = response;
    if (outcome === "completed") this.tally.add(kind);
    else this.tally.fail(kind, `${outcome} ${requestId} ${failure} after ${(endedAtMs - startedAtMs) / 1_000} s`);
  }

  /** Duration of the longest complete response, seconds. */
  get longest(): number {
    const ended = this.responses.filter(({ outcome }) => outcome === "completed");
    return ended.reduce((most, { startedAtMs, endedAtMs }) => Math.max(most, endedAtMs - startedAtMs), 0) / 1_000;
  }

  get responses(): readonly LoadResponse[] {
    return this.#chat.flatMap(({ responses }) => responses);
  }

  async #repeat(name: string, pauseMs: number, work: (n: number) => Promise<void>): Promise<void> {
    for (let n = 0; !this.#stop.signal.aborted; n++) {
      try {
        await work(n);
        this.tally.add(name);
      } catch (error) {
        const cause = error instanceof Error && error.cause !== undefined ? ` (${String(error.cause)})` : "";
        this.tally.fail(name, `${String(error)}${cause}`);
      }
      await sleep(pauseMs);
    }
  }

  async #submit(n: number): Promise<void> {
    const body = { model: "grok-imagine-video", duration: 3, resolution: "480p", prompt: `take ${n}` };
    const { clients } = this.#options;
    const client = clients[n % clients.length] as TestClient;
    const { status, text } = await client.post(videoPath, body);
    if (status !== 202) throw new Error(`${status} ${text}`);
    this.#videos.set(client, (this.#videos.get(client) ?? 0) + 1);
  }

  /** Starts no more actions, waits for those in flight and for every video task to succeed. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.all([this.#working, ...this.#chat.map((load) => load.stop())]);
    this.tally.during = "the end";
    await Promise.all([...this.#videos].map(([client, accepted]) => this.#expectVideos(client, accepted)));
  }

  async #expectVideos(client: TestClient, accepted: number): Promise<void> {
    await allEnded(client, videoPatienceMs);
    const ended = (await listAll(client)).filter(({ status }) => status === "succeeded").length;
    if (ended !== accepted) this.tally.fail("video", `${accepted} tasks were accepted, ${ended} succeeded`);
  }
}
