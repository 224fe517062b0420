import type { Wire } from "@uag/harness/odd-provider/case";

/** A provider's video protocol; `whole` is the response to a poll of a task that has succeeded. */
export interface VideoWire extends Wire {
  /** The response to a creation. */
  created(id: string): string;
}

const link = "https://video.example/1.mp4";
const error = (more: object): string =>
  JSON.stringify({ error: { message: "boom", type: "server_error", code: null }, ...more });

/** Model Studio, video synthesis. */
export const wan: VideoWire = {
  usageName: "usage",
  usage: { duration: 5, SR: 720, video_count: 1 },
  created: (id) => JSON.stringify({ request_id: "r", output: { task_id: id, task_status: "PENDING" } }),
  whole: (usage) => JSON.stringify({ output: { task_id: "t", task_status: "SUCCEEDED", video_url: link }, usage }),
  error: (more) => JSON.stringify({ request_id: "r", code: "InternalError", message: "boom", ...more }),
};

/** ModelArk's video generation API. */
export const seedance: VideoWire = {
  usageName: "usage",
  usage: { completion_tokens: 50_000, total_tokens: 50_000 },
  created: (id) => JSON.stringify({ id }),
  whole: (usage) => JSON.stringify({ id: "t", status: "succeeded", content: { video_url: link }, usage }),
  error,
};

/** xAI's video API, which reports the length of a video beside its usage. */
export const grok: VideoWire = {
  usageName: "usage",
  usage: { cost_in_usd_ticks: 2_500_000_000 },
  created: (id) => JSON.stringify({ request_id: id }),
  whole: (usage) => JSON.stringify({ status: "done", video: { url: link, duration: 5 }, usage }),
  error,
};

/** A catalogue of the three protocols at one provider. */
export const oddCatalog = (url: string): string => `
providers:
  dash: { protocol: dashscope, base_url: "${url}", api_key: sk-test }
  ark: { protocol: ark, base_url: "${url}/ark", api_key: sk-test }
  xai: { protocol: xai, base_url: "${url}/v1", api_key: sk-test }
models:
  - &base
    { id: beta2.6-t2v, owned_by: a, created: 2026-01-01, operations: [videos.generations], output: [video],
      price: { video_seconds: { 720p: 0.1 } }, upstreams: [{ provider: dash, model: wan2.6-t2v }] }
  - { <<: *base, id: seedance-1-0-pro, price: { output_tokens: 2.5 }, upstreams: [{ provider: ark }] }
  - { <<: *base, id: grok-imagine-video, price: { video_seconds: { 480p: 0.05 } }, upstreams: [{ provider: xai }] }
`;
