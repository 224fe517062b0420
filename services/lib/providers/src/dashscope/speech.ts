import { SseDecoder, SseTooLargeError } from "@uag/untrusted/sse/decoder";
import type { SseEvent } from "@uag/untrusted/sse/event";
import { UpstreamFailure, unusableResponse } from "../failure.ts";
import type { HttpResponse } from "../http/call.ts";
import { chunksOf } from "../http/chunks.ts";
import { bearerHeaders } from "../openai-compatible/headers.ts";
import { post } from "../post.ts";
import { decodedBase64 } from "../reading/base64.ts";
import { CutLists } from "../reading/cut-lists.ts";
import { readChunks } from "../reading/read-response.ts";
import { withoutLongData } from "../reading/slim-body.ts";
import { sniffedChunks } from "../reading/sniffed-chunks.ts";
import { eventFault } from "../response-limits.ts";
import type { CharacterReport, SpeechAdapter, SpeechCall, SpeechSite, SpokenText } from "../speech/types.ts";
import { isWav, pcmOfWav, WavError } from "../speech/wav.ts";
import { charactersIn, messageFailure, readMessage, type SpeechMessage } from "./speech-events.ts";

const path = "/api/v1/services/aigc/multimodal-generation/generation";
const maxBodyBytes = 64 * 1024 * 1024;

/**
 * Qwen3-TTS in DashScope's own protocol (Model Studio, qwen-tts API). A stream is requested, whose
 * events carry 24 kHz PCM; a non-streamed response, or a stream without audio, contains the URL of a
 * WAV file instead.
 */
export const dashScopeSpeech: SpeechAdapter = {
  async speak(call, site) {
    const response = await postSpeech(call, site);
    const spoken = new DashScopeSpeech(call, site, response);
    await spoken.open();
    return spoken;
  },
};

function postSpeech({ text, voice, instructions, requestId }: SpeechCall, site: SpeechSite): Promise<HttpResponse> {
  const { provider, model } = site.upstream;
  const input = { text, voice, ...(instructions !== undefined && { instructions }) };
  const headers = [...bearerHeaders(provider, requestId), "accept", "text/event-stream", "x-dashscope-sse", "enable"];
  const call = { path, headers, body: Buffer.from(JSON.stringify({ model, input })) };
  return post({ ...site, call, failureOf: messageFailure });
}

type Chunks = AsyncGenerator<Buffer, void, undefined>;

class DashScopeSpeech implements SpokenText {
  readonly pcm: AsyncGenerator<Buffer, void, undefined>;
  readonly #call: SpeechCall;
  readonly #site: SpeechSite;
  #usage: CharacterReport | undefined;
  #first: Buffer | undefined;

  constructor(call: SpeechCall, site: SpeechSite, response: HttpResponse) {
    this.#call = call;
    this.#site = site;
    this.pcm = this.#withFirst(this.#received(response));
  }

  usage(): CharacterReport | undefined {
    return this.#usage;
  }

  /**
   * Waits for the first audio, so that an upstream that sends none can still be replaced by
   * another.
   */
  async open(): Promise<void> {
    const { done } = await this.pcm.next();
    if (done === true) {
      throw this.#charged(new UpstreamFailure("transient", "the upstream sent no audio", { status: 200 }));
    }
  }

  /** Yields an empty buffer once the first piece has arrived, then all pieces. */
  async *#withFirst(sound: AsyncGenerator<Buffer, void, undefined>): AsyncGenerator<Buffer, void, undefined> {
    try {
      for await (const piece of sound) {
        if (this.#first === undefined) {
          this.#first = piece;
          yield piece.subarray(0, 0);
        }
        yield piece;
      }
    } catch (error) {
      throw this.#charged(error);
    }
  }

  /** The upstream charges for the characters that it reported, however the call ended. */
  #charged(error: unknown): unknown {
    if (!(error instanceof UpstreamFailure) || error.kind === "cancelled" || this.#usage === undefined) return error;
    const { characters, raw } = this.#usage;
    return error.with({ usage: { units: [{ name: "characters", quantity: BigInt(characters) }], raw } });
  }

  async *#received(response: HttpResponse): AsyncGenerator<Buffer, void, undefined> {
    const { kind, chunks } = await sniffedChunks(chunksOf(response));
    yield* kind === "events" ? this.#streamed(chunks) : this.#unary(chunks);
  }

  async *#unary(chunks: Chunks): AsyncGenerator<Buffer, void, undefined> {
    const { upstream, signal } = this.#site;
    const lists = new CutLists();
    const message = await readChunks(chunks, {
      maxBytes: maxBodyBytes,
      memory: this.#call.memory,
      signal,
      usageIn: charactersIn,
      async decode(body) {
        const read = readMessage(await withoutLongData(body, lists), 200, upstream);
        if (read === undefined) throw new UpstreamFailure("transient", "the response is not JSON", { status: 200 });
        return read;
      },
    });
    this.#usage = message.usage;
    const { data } = message;
    const base64 = lists.textOf(data) ?? Buffer.from(data, "latin1");
    const piece = data === "" ? await this.#fetched(message) : soundOf(await decodedBase64(base64));
    if (piece.length > 0) yield piece;
  }

  async *#streamed(chunks: Chunks): AsyncGenerator<Buffer, void, undefined> {
    let silent = true;
    let last: SpeechMessage | undefined;
    // Reads the body to its end even after the last message, so that the connection can be reused.
    for await (const event of eventsOf(chunks)) {
      if (event.data === undefined || last !== undefined) continue;
      const fault = eventFault(event.data);
      if (fault !== undefined) throw fault;
      const message = readMessage(event.data, statusIn(event), this.#site.upstream);
      if (message === undefined) throw unusableResponse("the upstream sent an event that is not JSON");
      this.#usage = message.usage ?? this.#usage;
      if (message.last) last = message;
      if (message.data === "") continue;
      const bytes = Buffer.from(message.data, "base64");
      yield silent ? soundOf(bytes) : bytes;
      silent = false;
    }
    if (last === undefined) throw new UpstreamFailure("transient", "the speech ended early", { status: 200 });
    if (silent) yield await this.#fetched(last);
  }

  async #fetched({ url }: SpeechMessage): Promise<Buffer> {
    if (url === undefined) throw new UpstreamFailure("transient", "the upstream sent no audio data", { status: 200 });
    const { audio, memory } = this.#call;
    return samplesOf(await audio.fetch(url, { signal: this.#site.signal, memory }));
  }
}

/** Raw samples, or those of a WAV file. */
function soundOf(bytes: Buffer): Buffer {
  return isWav(bytes) ? samplesOf(bytes) : bytes;
}

function samplesOf(file: Buffer): Buffer {
  try {
    return pcmOfWav(file);
  } catch (error) {
    if (!(error instanceof WavError)) throw error;
    throw new UpstreamFailure("transient", error.message, { status: 200, cause: error });
  }
}

async function* eventsOf(chunks: Chunks): AsyncGenerator<SseEvent, void, undefined> {
  const decoder = new SseDecoder();
  try {
    for await (const chunk of chunks) yield* decoder.push(chunk);
  } catch (error) {
    if (!(error instanceof SseTooLargeError)) throw error;
    throw unusableResponse("the upstream sent an event that is too long", { cause: error });
  }
  const tail = decoder.end();
  if (tail !== undefined) yield tail;
}

/** An event carries its status in a comment: `:HTTP_STATUS/429`. */
function statusIn(event: SseEvent): number {
  const found = /^:HTTP_STATUS\/(\d{3})/m.exec(event.raw.toString("latin1", 0, 200));
  return found === null ? 200 : Number(found[1]);
}
