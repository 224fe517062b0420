import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { AuditReport } from "@uag/harness/audit/audit";
import { type Billed, readBooks } from "@uag/harness/audit/billed";
import { attemptsAt, faultHits, setFault } from "@uag/harness/fleet/faults";
import { openSharedFleet, type SharedFleet } from "@uag/harness/fleet/shared-fleet";
import { pollsWithin, waitFor } from "@uag/harness/testing/wait-for";
import { Outcome } from "@uag/proto/metering/v1/usage.ts";
import OpenAI from "openai";

const flash = "alpha3-tts-flash";
const instruct = "alpha3-tts-instruct-flash";
/** Over 600 billed characters, so it is synthesised in several parts. */
const long = `${"The quick brown fox jumps over the lazy dog. ".repeat(20)}${"你好，世界。".repeat(40)}`;
const longCharacters = 900 + 40 * (4 * 2 + 2);

/**
 * The duration in seconds of an MPEG-2 layer III file at 24 kHz, by its frames; fails on a byte
 * outside them.
 */
function mp3Seconds(mp3: Buffer): number {
  const bitrates = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
  let frames = 0;
  for (let at = 0; at < mp3.length; frames++) {
    const head = mp3.readUInt32BE(at);
    assert.equal(head >>> 17, 0x7ff9, `no frame at ${at}`);
    at += Math.floor((72_000 * (bitrates[(head >> 12) & 15] as number)) / 24_000) + ((head >> 9) & 1);
  }
  return (frames * 576) / 24_000;
}

/**
 * The duration in seconds of a WAV file of 24 kHz, 16 bits, one channel, by its header; fails when
 * a size in it is wrong.
 */
function wavSeconds(wav: Buffer): number {
  assert.equal(wav.toString("latin1", 0, 4) + wav.toString("latin1", 8, 16), "RIFFWAVEfmt ");
  assert.deepEqual([wav.readUInt16LE(22), wav.readUInt32LE(24), wav.readUInt16LE(34)], [1, 24_000, 16]);
  assert.equal(wav.toString("latin1", 36, 40), "data");
  assert.deepEqual([wav.readUInt32LE(4), wav.readUInt32LE(40)], [wav.length - 8, wav.length - 44]);
  return wav.readUInt32LE(40) / 48_000;
}

/** The simulator's speech takes 0.065 s a character, and 0.4 s more in each call. */
const spokenSeconds = (characters: number, calls = 1): number => characters * 0.065 + calls * 0.4;

describe("speech through the public server", () => {
  let fleet: SharedFleet;
  let openai: OpenAI;
  let earlier: AuditReport["comparison"];
  let dir: string;
  const resources = new AsyncDisposableStack();

  before(async () => {
    dir = await mkdtemp(join(tmpdir(), "speech-"));
    resources.defer(() => rm(dir, { recursive: true, force: true }));
    fleet = await openSharedFleet();
    earlier = (await fleet.audit()).comparison;
    openai = new OpenAI({ apiKey: fleet.run.api_key, baseURL: `${fleet.run.base_url}/v1`, maxRetries: 0 });
  });
  after(() => resources.disposeAsync());

  const billOf = (response: { headers: Headers }): Promise<Billed> =>
    waitFor(async () => {
      const { billed } = await readBooks(fleet.run);
      return billed.find(({ requestId }) => requestId === response.headers.get("x-request-id"));
    });
  const spoken = async (response: Response): Promise<Buffer> => Buffer.from(await response.arrayBuffer());

  test("the SDK writes an MP3 file whose duration fits the text", async () => {
    const input = "Hello there, how are you today?";
    const response = await openai.audio.speech.create({ model: flash, voice: "alloy", input });
    assert.equal(response.headers.get("content-type"), "audio/mpeg");
    const file = join(dir, "speech.mp3");
    await writeFile(file, await spoken(response));
    const seconds = mp3Seconds(await readFile(file));
    assert.ok(Math.abs(seconds - spokenSeconds(input.length)) < 0.2, `${seconds} s`);
  });

  test("the file is WAV on request, and always for the model with instructions", async () => {
    const result = await openai.audio.speech.create({
      model: flash,
      voice: "Ethan",
      input: "你好",
      response_format: "wav",
    });
    const fixed = await openai.audio.speech.create({
      model: instruct,
      voice: "Cherry",
      input: "Four",
      instructions: "Slowly, and with joy.",
      response_format: "opus",
      speed: 2,
    });
    for (const response of [result, fixed]) {
      assert.equal(response.headers.get("content-type"), "audio/wav");
      const wav = await spoken(response);
      assert.ok(Math.abs(wavSeconds(wav) - spokenSeconds(4)) < 0.01);
      assert.equal(response.headers.get("content-length"), String(wav.length));
    }
  });

  test("a long text is synthesised completely, in parts, and billed by all its characters", async () => {
    for (const format of ["mp3", "wav"] as const) {
      const body = { model: flash, voice: "Cherry", input: long, response_format: format };
      const response = await openai.audio.speech.create(body);
      const bytes = await spoken(response);
      const seconds = format === "mp3" ? mp3Seconds(bytes) : wavSeconds(bytes);
      const bill = await billOf(response);
      const pieces = bill.rawUsage as { characters: number }[];
      assert.ok(pieces.length >= 3);
      assert.equal(
        pieces.reduce((sum, { characters }) => sum + characters, 0),
        longCharacters,
      );
      assert.ok(Math.abs(seconds - spokenSeconds(longCharacters, pieces.length)) < 0.3, `${seconds} s`);
      assert.equal(bill.costNanoUsd, BigInt(longCharacters) * 10_000n);
      assert.equal(response.headers.get("x-gateway-cost-usd"), (longCharacters * 0.00001).toFixed(9));
    }
  });

  test("MP3 starts to arrive long before its end is synthesised", async () => {
    const clear = await setFault(fleet.run.simulator_url, { slow: 300 }, { model: "qwen3-tts-flash" });
    const started = performance.now();
    const response = await openai.audio.speech.create({ model: flash, input: "x".repeat(80), voice: "Cherry" });
    const times: number[] = [];
    for await (const _ of response.body as ReadableStream<Uint8Array>) times.push(performance.now() - started);
    assert.ok((times.at(-1) ?? 0) - (times[0] ?? 0) > 800, `the chunks arrived bunched: ${times.map(Math.round)}`);
    await clear();
  });

  const good = { model: flash, input: "a", voice: "Cherry" };
  const refused: [what: string, body: unknown, status: number, code: string, param: string | null][] = [
    ["a body that is not JSON", "{", 422, "invalid_json", null],
    ["nothing", "", 422, "invalid_json", null],
    ["a list", "[]", 400, "invalid_request", null],
    ["no model", { input: "a" }, 400, "invalid_request", "model"],
    ["a model without speech", { ...good, model: "gpt-4o-mini" }, 400, "endpoint_model_mismatch", "model"],
    ["an input that is a list", { ...good, input: ["a"] }, 400, "invalid_request", "input"],
    ["an input of 50,001 characters", { ...good, input: "x".repeat(50_001) }, 400, "invalid_request", "input"],
    ["a voice that is a number", { ...good, voice: 5 }, 400, "invalid_request", "voice"],
    ["another provider's voice of a wrong shape", { ...good, voice: "alloyy" }, 400, "invalid_request", "voice"],
    ["events instead of audio", { ...good, stream_format: "sse" }, 400, "invalid_request", "stream_format"],
    ["an unknown model", { ...good, model: "nobody" }, 400, "model_not_found", "model"],
    ["no input", { model: flash }, 400, "invalid_request", "input"],
    ["an empty input", { ...good, input: "" }, 400, "invalid_request", "input"],
    ["only white space", { ...good, input: " \n" }, 400, "invalid_request", "input"],
    ["an unknown voice", { ...good, voice: "Nobody" }, 400, "invalid_request", "voice"],
    ["another format", { ...good, response_format: "opus" }, 400, "invalid_request", "response_format"],
    ["instructions to the basic model", { ...good, instructions: "x" }, 400, "invalid_request", "instructions"],
    ["a speed that is text", { ...good, speed: "fast" }, 400, "invalid_request", "speed"],
  ];
  for (const [what, body, status, code, param] of refused) {
    test(`refused with ${status}: ${what}`, async () => {
      const response = await fleet.client.post("/v1/audio/speech", body);
      const { error } = response.json<{ error: { code: string; param: string | null; type: string } }>();
      assert.deepEqual([response.status, error.code, error.param], [status, code, param]);
      assert.equal(error.type, "invalid_request_error");
    });
  }

  test("no voice, or another provider's voice, becomes Cherry, and speed has no effect", async () => {
    const usual = await (await fleet.client.post("/v1/audio/speech", good)).text;
    for (const more of [{ voice: undefined }, { voice: "nova" }, { voice: "en-US-JennyNeural" }, { speed: 3 }])
      assert.equal((await fleet.client.post("/v1/audio/speech", { ...good, ...more })).text, usual);
    assert.notEqual((await fleet.client.post("/v1/audio/speech", { ...good, voice: "Ethan" })).text, usual);
  });

  test("instructions change the speech, and every character is billed: ideographs double, emoji by code point", async () => {
    const call = (more: object) => fleet.client.post("/v1/audio/speech", { ...good, model: instruct, ...more });
    const [plain, slow] = [await call({}), await call({ instructions: "Slowly" })];
    assert.deepEqual([plain.status, slow.status], [200, 200]);
    assert.notEqual(plain.text, slow.text);
    const counts: [input: string, characters: bigint][] = [
      ["Hello, world!", 13n],
      ["你好，世界", 9n],
      ["👍🏽", 2n],
      ["e\u0301 한국", 5n],
    ];
    for (const [input, characters] of counts) {
      const response = await openai.audio.speech.create({ ...good, input });
      await spoken(response);
      assert.equal((await billOf(response)).costNanoUsd, characters * 10_000n, input);
    }
  });

  test("fetches audio that the upstream returns as a URL, and bills audio that it cannot fetch by the reported usage", async () => {
    const { simulator_url } = fleet.run;
    const clear = await setFault(
      simulator_url,
      { "speech-url": true, "wav-unsized": true },
      { model: "qwen3-tts-flash" },
    );
    for (const format of ["mp3", "wav"] as const) {
      const bytes = await spoken(
        await openai.audio.speech.create({ ...good, input: "x".repeat(40), response_format: format }),
      );
      const seconds = format === "mp3" ? mp3Seconds(bytes) : wavSeconds(bytes);
      assert.ok(Math.abs(seconds - spokenSeconds(40)) < 0.2, `${format}: ${seconds} s`);
    }
    await clear();
    const gone = await setFault(
      simulator_url,
      { "speech-url": true, "media-expired": true },
      { model: "qwen3-tts-flash" },
    );
    const response = await fleet.client.post("/v1/audio/speech", good);
    await gone();
    assert.equal(response.status, 502, response.text);
    assert.doesNotMatch(response.text, /127\.0\.0\.1/);
    assert.equal(response.headers.get("x-should-retry"), "false");
    assert.equal((await billOf(response)).costNanoUsd, BigInt(good.input.length) * 10_000n);
  });

  test("an upstream's refusal is passed on with its message and code, and costs nothing", async () => {
    const response = await fleet.client.post("/v1/audio/speech", { ...good, input: "blocked" });
    const { error } = response.json<{ error: { code: string; message: string } }>();
    assert.deepEqual([response.status, error.code], [400, "DataInspectionFailed"]);
    assert.match(error.message, /inappropriate content/);
    assert.equal((await billOf(response)).costNanoUsd, 0n);
  });

  test("voices are listed with their models", async () => {
    const list = (await fleet.client.get("/v1/audio/voices")).json<{
      object: string;
      data: { id: string; object: string; models: string[]; default: boolean }[];
    }>();
    assert.equal(list.object, "list");
    assert.deepEqual(list.data[0], {
      id: "Cherry",
      object: "voice",
      name: "Cherry",
      models: [flash, instruct],
      default: true,
    });
    assert.ok(list.data.length >= 30 && list.data.some(({ id }) => id === "Ethan"));
    const ofOne = (await fleet.client.get(`/v1/audio/voices?model=${instruct}`)).json<typeof list>();
    assert.ok(ofOne.data.every(({ models }) => models.length === 1 && models[0] === instruct));
  });

  test("each failure has the SDK's class", async () => {
    const { simulator_url } = fleet.run;
    const clear = await setFault(simulator_url, { status: 429, "retry-after": 60 }, { model: "qwen3-tts-instruct*" });
    await assert.rejects(openai.audio.speech.create({ ...good, model: instruct }), OpenAI.RateLimitError);
    await clear();
    await assert.rejects(openai.audio.speech.create({ ...good, voice: "Nobody" }), OpenAI.BadRequestError);
    const stranger = openai.withOptions({ apiKey: `${fleet.run.api_key.slice(0, -1)}_` });
    await assert.rejects(stranger.audio.speech.create(good), OpenAI.AuthenticationError);
  });

  test("a WAV file interrupted after its usage is an error that is billed once and not retried", async () => {
    const { simulator_url } = fleet.run;
    const body = { ...good, input: "x".repeat(200), response_format: "wav" as const };
    for (const fault of [{ cut: 3 }, { "reset-chunks": 3 }, { "error-event": 4 }]) {
      const clear = await setFault(simulator_url, fault, { model: "qwen3-tts-flash" });
      const response = await fleet.client.post("/v1/audio/speech", body);
      assert.equal(response.status, 502, response.text);
      const { headers } = response;
      assert.deepEqual([headers.get("x-gateway-attempts"), headers.get("x-should-retry")], ["1", "false"]);
      assert.equal((await billOf(response)).costNanoUsd, 200n * 10_000n, JSON.stringify(fault));
      await clear();
    }
  });

  test("a client that disconnects while its WAV file is synthesised pays for the parts that an upstream has accepted", async () => {
    const clear = await setFault(fleet.run.simulator_url, { hang: true }, { model: "qwen3-tts-flash" });
    const hitsBefore = await faultHits(fleet.run.simulator_url);
    const controller = new AbortController();
    const body = { ...good, input: "z".repeat(700), response_format: "wav" as const };
    const requesting = openai.audio.speech.create(body, { signal: controller.signal });
    await waitFor(async () => (await faultHits(fleet.run.simulator_url)) >= hitsBefore + 2);
    controller.abort();
    await assert.rejects(requesting, OpenAI.APIUserAbortError);
    await clear();
    await waitFor(async () => {
      const { billed } = await readBooks(fleet.run);
      return billed.some(({ costNanoUsd, outcome }) => outcome === Outcome.DISCONNECTED && costNanoUsd === 7_000_000n);
    });
  });

  test("streamed speech that is interrupted ends there, and is billed by the characters that the upstream reported", async () => {
    for (const fault of [{ cut: 3 }, { "reset-chunks": 3 }, { "error-event": 4 }]) {
      const clear = await setFault(fleet.run.simulator_url, fault, { model: "qwen3-tts-flash" });
      const response = await openai.audio.speech.create({ ...good, input: "x".repeat(200) });
      await assert.rejects(spoken(response), `${JSON.stringify(fault)} must not appear complete`);
      const { costNanoUsd } = await billOf(response);
      assert.equal(costNanoUsd, 200n * 10_000n, `${JSON.stringify(fault)}: ${costNanoUsd}`);
      await clear();
    }
  });

  test("a client that disconnects cancels the upstream within a second, and is billed for the text that the upstream has accepted", async () => {
    const clear = await setFault(fleet.run.simulator_url, { slow: 200 }, { model: "qwen3-tts-flash" });
    const controller = new AbortController();
    const body = { ...good, input: "y".repeat(300) };
    const response = await openai.audio.speech.create(body, { signal: controller.signal });
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    for (let heard = 0; heard < 4_000; ) heard += (await reader.read()).value?.length ?? 0;
    controller.abort();
    const id = response.headers.get("x-request-id");
    await waitFor(
      async () =>
        (await attemptsAt(fleet.run.simulator_url)).some(
          (each) => each.request_id === id && each.outcome === "disconnected",
        ),
      { maxPolls: pollsWithin(1), what: "the simulator to see the disconnect" },
    );
    await clear();
    const bill = await billOf(response);
    assert.equal(bill.outcome, Outcome.DISCONNECTED);
    assert.equal(bill.costNanoUsd, 300n * 10_000n);
  });

  test("a client that disconnects before the first audio pays for the text that the upstream has accepted", async () => {
    const clear = await setFault(fleet.run.simulator_url, { hang: true }, { model: "qwen3-tts-flash" });
    const controller = new AbortController();
    const requesting = openai.audio.speech.create(
      { ...good, input: "disconnected early" },
      { signal: controller.signal },
    );
    await waitFor(async () => (await faultHits(fleet.run.simulator_url)) > 0);
    controller.abort();
    await assert.rejects(requesting, OpenAI.APIUserAbortError);
    await clear();
  });

  test("without the upstream's usage the bill is an estimate of the gateway", async () => {
    const clear = await setFault(fleet.run.simulator_url, { "usage-missing": true }, { model: "qwen3-tts-flash" });
    const response = await openai.audio.speech.create({ ...good, input: "你好 you" });
    await spoken(response);
    await clear();
    const bill = await billOf(response);
    assert.deepEqual([bill.costNanoUsd, bill.rawUsage], [80_000n, undefined]);
  });

  test("after all tests the ledger contains exactly what the simulator served", async () => {
    const { violations, comparison } = await fleet.audit();
    assert.deepEqual(violations, []);
    assert.ok(comparison.byCount > earlier.byCount && comparison.byEstimate >= earlier.byEstimate + 4);
  });
});
