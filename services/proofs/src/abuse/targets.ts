import { adminRoutes, type BodyKind, routes } from "@uag/contract/routes.ts";
import { probes } from "@uag/fleet/openapi/probes.ts";
import { mounts } from "@uag/gateway/mounts.ts";

/** One path of the public server, as far as whoever abuses it needs to know. */
export interface Target {
  readonly method: string;
  readonly path: string;
  readonly body: BodyKind;
  /** A request that is good but for what stands in its main field; on JSON paths. */
  readonly sample?: (fill: unknown) => object;
  /** The same with URLs that the gateway is asked to fetch. */
  readonly withUrls?: (urls: readonly string[]) => object;
}

const picture = (url: string) => ({ type: "image_url", image_url: { url } });
const source = (url: string) => ({ type: "image", source: { type: "url", url } });
const sonnet = { model: "claude-sonnet-4-6", max_tokens: 10 };
const user = (content: unknown) => ({ messages: [{ role: "user", content }] });
const video = { model: "beta2.7-r2v", duration: 5, resolution: "720p" };

type Sample = Pick<Target, "sample" | "withUrls">;

/**
 * Of every operation with a JSON body: a route without one here fails the program, so that none
 * escapes.
 */
const samples: Readonly<Record<string, Sample>> = {
  "chat.completions": {
    sample: (fill) => ({ model: "gpt-4o-mini", ...user(fill) }),
    withUrls: (urls) => ({ model: "gemini-2.5-flash", ...user(urls.map(picture)) }),
  },
  "messages.create": {
    sample: (fill) => ({ ...sonnet, ...user(fill) }),
    withUrls: (urls) => ({ ...sonnet, model: "gemini-2.5-flash", ...user(urls.map(source)) }),
  },
  "messages.count_tokens": {
    sample: (fill) => ({ ...sonnet, ...user(fill) }),
    withUrls: (urls) => ({ model: "gemini-2.5-flash", ...user(urls.map(source)) }),
  },
  embeddings: { sample: (fill) => ({ model: "text-embedding-v4", input: fill }) },
  "audio.speech": { sample: (fill) => ({ model: "alpha3-tts-flash", input: fill }) },
  "images.generations": {
    sample: (fill) => ({ model: "gamma-image-2", prompt: fill }),
    withUrls: (urls) => ({
      model: "alpha-image-edit",
      input: user([{ text: "mend" }, ...urls.map((image) => ({ image }))]),
    }),
  },
  "videos.create": {
    sample: (fill) => ({ ...video, input: { prompt: fill } }),
    withUrls: (urls) => ({
      ...video,
      webhook_url: urls[0],
      input: { prompt: "a cat", media: urls.map((url) => ({ type: "reference_image", url })) },
    }),
  },
};

function sampleOf(operation: string): Sample {
  const found = samples[operation];
  if (found === undefined) throw new Error(`say in abuse/targets.ts what a good body of ${operation} looks like`);
  return found;
}

/**
 * Every path that the router serves: those of keys, of administrators, of nobody, and those of
 * services behind it.
 */
export function targets(): Target[] {
  const keyed = routes.map((route): Target => {
    const { method, path, body } = route;
    return { method, path, body, ...(body === "json" && "operation" in route && sampleOf(route.operation)) };
  });
  const sample = (fill: unknown) => ({ name: fill });
  const admin = adminRoutes.map(({ method, path, body }) => ({
    method,
    path,
    body,
    ...(body === "json" && { sample }),
  }));
  const open = Object.keys({ ...probes.public, ...probes.admin }).map((path) => ({
    method: "GET",
    path,
    body: "none" as const,
  }));
  const behind = mounts.map(({ path }) => ({ method: "POST", path: `${path}/x`, body: "none" as const }));
  return [...keyed, ...admin, ...open, ...behind];
}
