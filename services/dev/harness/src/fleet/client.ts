import { type SseEvent, sseEvents } from "./sse.ts";

export interface TestClientOptions {
  baseUrl: string;
  apiKey?: string;
  /** Of every request. */
  headers?: Readonly<Record<string, string>>;
}

export interface TestRequest {
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal;
}

export interface TestResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; throws when it is not valid. */
  json<T = Record<string, unknown>>(): T;
}

interface TestStream {
  readonly status: number;
  readonly headers: Headers;
  readonly events: AsyncGenerator<SseEvent>;
  /** The body as text, instead of events: for a response that is not a stream. */
  text(): Promise<string>;
}

/** Calls the public server like any HTTP client, without the product's own code in between. */
export interface TestClient {
  get(path: string, request?: TestRequest): Promise<TestResponse>;
  /** Strings and bytes are sent unchanged, anything else as JSON. */
  post(path: string, body: unknown, request?: TestRequest): Promise<TestResponse>;
  /** Resolves as soon as the head arrives. */
  stream(path: string, body: unknown, request?: TestRequest): Promise<TestStream>;
}

export function createTestClient({ baseUrl, apiKey, headers: common }: TestClientOptions): TestClient {
  const call = (method: string, path: string, body: unknown, request: TestRequest = {}): Promise<Response> =>
    fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...common,
        ...request.headers,
      },
      ...(request.signal && { signal: request.signal }),
      ...(body !== undefined && { body: encode(body) }),
    });
  const whole = async (response: Response): Promise<TestResponse> => {
    const text = await response.text();
    const { status, headers } = response;
    return { status, headers, text, json: <T>() => JSON.parse(text) as T };
  };
  return {
    get: async (path, request) => whole(await call("GET", path, undefined, request)),
    post: async (path, body, request) => whole(await call("POST", path, body, request)),
    async stream(path, body, request) {
      const response = await call("POST", path, body, request);
      const { status, headers, body: bytes } = response;
      if (bytes === null) throw new Error(`${path} responded ${status} without a body`);
      return { status, headers, events: sseEvents(bytes), text: () => response.text() };
    },
  };
}

function encode(body: unknown): string | Uint8Array<ArrayBuffer> {
  if (typeof body === "string") return body;
  return body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body);
}
