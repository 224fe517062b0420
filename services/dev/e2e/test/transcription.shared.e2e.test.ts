import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { AuditReport } from "@uag/harness/audit/audit";
import { type Billed, readBooks } from "@uag/harness/audit/billed";
import { faultHits, setFault } from "@uag/harness/fleet/faults";
import { openSharedFleet, type SharedFleet } from "@uag/harness/fleet/shared-fleet";
import { waitFor } from "@uag/harness/testing/wait-for";
import { Outcome } from "@uag/proto/metering/v1/usage.ts";
import OpenAI, { toFile } from "openai";
import { clientOf } from "./images/keys.ts";
import { wavOf } from "./transcription/wav.ts";

const whisper = "whisper-1";
const gpt4o = "gpt-4o-mini-transcribe";
const recording = (seconds: number) => toFile(wavOf(seconds), "recording.wav", { type: "audio/wav" });

describe("transcription through the public server", () => {
  let fleet: SharedFleet;
  let openai: OpenAI;
  let earlier: AuditReport["comparison"];

  before(async () => {
    fleet = await openSharedFleet();
    earlier = (await fleet.audit()).comparison;
    openai = new OpenAI({ apiKey: fleet.run.api_key, baseURL: `${fleet.run.base_url}/v1`, maxRetries: 0 });
  });

  const billOf = (response: { headers: Headers }): Promise<Billed> =>
    waitFor(async () => {
      const { billed } = await readBooks(fleet.run);
      return billed.find(({ requestId }) => requestId === response.headers.get("x-request-id"));
    });

  test("the SDK gets a transcript, billed by the second that the provider counted", async () => {
    const { data, response } = await openai.audio.transcriptions
      .create({ model: whisper, file: await recording(12.4), language: "en", prompt: "say: Hello there." })
      .withResponse();
    assert.equal(data.text, "Hello there.");
    assert.deepEqual(data.usage, { type: "duration", seconds: 13 });
    assert.equal(response.headers.get("x-gateway-cost-usd"), "0.001300000");
    const bill = await billOf(response);
    assert.deepEqual([bill.costNanoUsd, bill.outcome], [1_300_000n, Outcome.COMPLETED]);
    assert.deepEqual(bill.rawUsage, data.usage);
  });

  test("a model that counts tokens is billed by those of the audio, the prompt and the text", async () => {
    const { data, response } = await openai.audio.transcriptions
      .create({ model: gpt4o, file: await recording(30), prompt: "A story about a boat." })
      .withResponse();
    const { usage } = data;
    assert.ok(usage?.type === "tokens" && usage.input_token_details?.audio_tokens === 300);
    const text = usage.input_token_details.text_tokens ?? 0;
    const nanoUsd = BigInt((300 + text) * 1_250 + usage.output_tokens * 5_000);
    assert.equal((await billOf(response)).costNanoUsd, nanoUsd);
  });

  test("verbose JSON has the times of segments and words, and the provider's bytes", async () => {
    const transcript = await openai.audio.transcriptions.create({
      model: whisper,
      file: await recording(12),
      response_format: "verbose_json",
      timestamp_granularities: ["word", "segment"],
    });
    assert.equal(transcript.duration, 12);
    assert.ok((transcript.segments?.length ?? 0) >= 3);
    assert.ok((transcript.words?.length ?? 0) >= 20);
    assert.ok(transcript.words?.every(({ start, end }) => start <= end && end <= 12));
  });

  test("text and subtitles are plain text, and billed exactly", async () => {
    const texts = await Promise.all(
      (["text", "srt", "vtt"] as const).map(async (format) => {
        const body = { model: whisper, file: await recording(6), response_format: format };
        const { data, response } = await openai.audio.transcriptions.create(body).withResponse();
        assert.equal(response.headers.get("content-type"), "text/plain; charset=utf-8");
        const bill = await billOf(response);
        assert.deepEqual([bill.costNanoUsd, bill.rawUsage], [600_000n, { type: "duration", seconds: 6 }]);
        return data;
      }),
    );
    assert.match(texts[0] ?? "", /^\S.*\S\n$/);
    assert.match(texts[1] ?? "", /^1\n00:00:00,000 --> 00:00:0\d,\d{3}\n\S/);
    assert.match(texts[2] ?? "", /^WEBVTT\n\n00:00:00\.000 --> 00:00:0\d\.\d{3}\n\S/);
  });

  test("a translation is billed by the length of the audio, in every format, as its provider reports no usage", async () => {
    const bodyOf = async (responseFormat: "json" | "text" | "srt" | "verbose_json" | "vtt") => ({
      model: whisper,
      file: await recording(12.4),
      prompt: "say: A boat on the lake.",
      response_format: responseFormat,
    });
    const texts = await Promise.all(
      (["json", "text", "srt", "verbose_json", "vtt"] as const).map(async (format) => {
        const { data, response } = await openai.audio.translations.create(await bodyOf(format)).withResponse();
        const bill = await billOf(response);
        assert.deepEqual([bill.costNanoUsd, bill.rawUsage, bill.outcome], [1_300_000n, undefined, Outcome.COMPLETED]);
        return data as unknown;
      }),
    );
    const [json, text, srt, verbose, vtt] = texts;
    assert.deepEqual(json, { text: "A boat on the lake." });
    assert.equal(text, "A boat on the lake.\n");
    assert.match(String(srt), /^1\n00:00:00,000 --> 00:00:\d\d,\d{3}\nA boat/);
    assert.match(String(vtt), /^WEBVTT\n\n00:00:00\.000 --> 00:00:\d\d\.\d{3}\nA boat/);
    const { task, duration, segments } = verbose as OpenAI.Audio.TranslationVerbose & { task: string };
    assert.deepEqual([task, duration, (segments?.length ?? 0) > 0], ["translate", 12.4, true]);
  });

  test("a translation takes no field of a transcription, and no model that only transcribes", async () => {
    const file = await recording(1);
    await assert.rejects(
      openai.audio.translations.create({ model: whisper, file, response_format: "diarized_json" as "json" }),
      (error: Error) => error instanceof OpenAI.BadRequestError && error.param === "response_format",
    );
    await assert.rejects(
      openai.audio.translations.create({ model: gpt4o, file }),
      (error: Error) => error instanceof OpenAI.BadRequestError && error.code === "endpoint_model_mismatch",
    );
    const body = { model: whisper, file, language: "xx", stream: "true", "include[]": "logprobs" };
    assert.match((await openai.audio.translations.create(body as typeof body & { prompt?: string })).text, /\w/);
  });

  test("a transcript is streamed with log probabilities, and billed by the usage in its last event", async () => {
    const { data, response } = await openai.audio.transcriptions
      .create({ model: gpt4o, file: await recording(30), stream: true, include: ["logprobs"] })
      .withResponse();
    assert.match(response.headers.get("content-type") ?? "", /^text\/event-stream/);
    let text = "";
    let tokens = 0;
    let whole: OpenAI.Audio.TranscriptionTextDoneEvent | undefined;
    for await (const event of data) {
      if (event.type === "transcript.text.done") whole = event;
      if (event.type !== "transcript.text.delta") continue;
      text += event.delta;
      tokens += event.logprobs?.length ?? 0;
    }
    assert.equal(text.trim(), whole?.text);
    assert.ok(tokens > 0 && (whole?.logprobs?.length ?? 0) > 0);
    const bill = await billOf(response);
    assert.deepEqual(bill.rawUsage, whole?.usage);
    assert.equal(bill.costNanoUsd, BigInt(300 * 1_250 + (whole?.usage?.output_tokens ?? 0) * 5_000));
  });

  test("a model that does not stream ignores the field", async () => {
    const form = new FormData();
    form.set("model", whisper);
    form.set("stream", "true");
    form.set("file", new Blob([new Uint8Array(wavOf(2))]), "a.wav");
    const headers = { authorization: `Bearer ${fleet.run.api_key}` };
    const response = await fetch(`${fleet.run.base_url}/v1/audio/transcriptions`, {
      method: "POST",
      headers,
      body: form,
    });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get("content-type"), "application/json");
  });

  test("a client that disconnects from a stream pays for the transcript that the provider completes", async () => {
    const clear = await setFault(fleet.run.simulator_url, { slow: 50 }, { model: gpt4o });
    const { data, response } = await openai.audio.transcriptions
      .create({ model: gpt4o, file: await recording(60), stream: true })
      .withResponse();
    for await (const _event of data) break;
    const bill = await billOf(response);
    await clear();
    assert.equal(bill.outcome, Outcome.DISCONNECTED);
    const { usage } = { usage: bill.rawUsage as OpenAI.Audio.TranscriptionTextDoneEvent.Usage };
    assert.equal(bill.costNanoUsd, BigInt(600 * 1_250 + usage.output_tokens * 5_000));
  });

  async function send(fields: Readonly<Record<string, string>>, file: Buffer | undefined, client = fleet.client) {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    if (file !== undefined) form.set("file", new Blob([new Uint8Array(file)]), "a.bin");
    const sent = new Response(form);
    const headers = { "content-type": sent.headers.get("content-type") ?? "" };
    const body = Buffer.from(await sent.arrayBuffer());
    const response = await client.post("/v1/audio/transcriptions", body, { headers });
    const { error } = response.json<{ error: { code: string; message: string; param: string } }>();
    return { status: response.status, headers: response.headers, ...error };
  }

  const good = { model: whisper };
  const refused: [
    what: string,
    fields: Record<string, string>,
    file: Buffer | undefined,
    code: string,
    param: string,
  ][] = [
    ["no file", good, undefined, "invalid_request", "file"],
    ["a file that is not audio", good, Buffer.from("hello, this is text"), "invalid_request", "file"],
    ["an empty file", good, Buffer.alloc(0), "invalid_request", "file"],
    ["no model", {}, wavOf(1), "invalid_request", "model"],
    ["a model that does not transcribe", { model: "gpt-4o-mini" }, wavOf(1), "endpoint_model_mismatch", "model"],
    ["an unknown model", { model: "nobody" }, wavOf(1), "model_not_found", "model"],
    ["the name of a language", { ...good, language: "english" }, wavOf(1), "invalid_request", "language"],
    [
      "subtitles of a model without times",
      { model: gpt4o, response_format: "srt" },
      wavOf(1),
      "invalid_request",
      "response_format",
    ],
  ];
  for (const [what, fields, file, code, param] of refused) {
    test(`rejects ${what} with 400, naming the field`, async () => {
      const error = await send(fields, file);
      assert.deepEqual([error.status, error.code, error.param], [400, code, param]);
    });
  }

  test("rejects a file above 25 MiB with 413 before it is received", async () => {
    const error = await send(good, Buffer.alloc(27 * 1024 * 1024));
    assert.deepEqual([error.status, error.code], [413, "payload_too_large"]);
    assert.match(error.message, /26214400 bytes/);
  });

  test("the provider's refusal is passed on with its message and code, and costs nothing", async () => {
    const error = await send(good, wavOf(0.05));
    assert.deepEqual([error.status, error.code, error.param], [400, "audio_too_short", "file"]);
    assert.equal((await billOf(error)).costNanoUsd, 0n);
  });

  test("a request without money gets a 402 and one for a forbidden model a 400", async () => {
    const codeOf = async (requested: Parameters<typeof clientOf>[1]): Promise<unknown[]> => {
      const { status, code } = await send(good, wavOf(1), await clientOf(fleet, requested));
      return [status, code];
    };
    assert.deepEqual(await codeOf({}), [402, "insufficient_balance"]);
    assert.deepEqual(await codeOf({ models: ["delta-2"] }), [400, "model_not_found"]);
  });

  test("a call that fails is retried with the same file", async () => {
    const clear = await setFault(fleet.run.simulator_url, { status: 503 }, { model: whisper, count: 1 });
    const { data, response } = await openai.audio.transcriptions
      .create({ model: whisper, file: await recording(3) })
      .withResponse();
    await clear();
    assert.equal(response.headers.get("x-gateway-attempts"), "2");
    assert.ok(data.text.length > 0);
  });

  test("without the provider's usage the bill is an estimate by the length of the audio", async () => {
    const clear = await setFault(fleet.run.simulator_url, { "usage-missing": true }, { model: whisper });
    const { response } = await openai.audio.transcriptions
      .create({ model: whisper, file: await recording(7.2) })
      .withResponse();
    await clear();
    const bill = await billOf(response);
    assert.deepEqual([bill.costNanoUsd, bill.rawUsage], [800_000n, undefined]);
  });

  test("a client that disconnects pays for the transcript that the provider completes", async () => {
    const clear = await setFault(fleet.run.simulator_url, { latency: 1_500 }, { model: whisper });
    const hitsBefore = await faultHits(fleet.run.simulator_url);
    const controller = new AbortController();
    const body = { model: whisper, file: await recording(77) };
    const requesting = openai.audio.transcriptions.create(body, { signal: controller.signal });
    await waitFor(async () => (await faultHits(fleet.run.simulator_url)) > hitsBefore);
    controller.abort();
    await assert.rejects(requesting, OpenAI.APIUserAbortError);
    await waitFor(async () => {
      const { billed } = await readBooks(fleet.run);
      return billed.some(({ costNanoUsd, outcome }) => outcome === Outcome.DISCONNECTED && costNanoUsd === 7_700_000n);
    });
    await clear();
  });

  test("each failure has the SDK's class", async () => {
    const { simulator_url } = fleet.run;
    const file = await recording(1);
    const clear = await setFault(simulator_url, { status: 429, "retry-after": 60 }, { model: gpt4o });
    await assert.rejects(openai.audio.transcriptions.create({ model: gpt4o, file }), OpenAI.RateLimitError);
    await clear();
    await assert.rejects(
      openai.audio.transcriptions.create({ model: whisper, file, language: "english" }),
      OpenAI.BadRequestError,
    );
    const stranger = openai.withOptions({ apiKey: `${fleet.run.api_key.slice(0, -1)}_` });
    await assert.rejects(stranger.audio.transcriptions.create({ model: whisper, file }), OpenAI.AuthenticationError);
  });

  after(async () => {
    const { violations, comparison } = await fleet.audit();
    assert.deepEqual(violations, []);
    assert.ok(comparison.byCount > earlier.byCount && comparison.byEstimate > earlier.byEstimate);
  });
});
