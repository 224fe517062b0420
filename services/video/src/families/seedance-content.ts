import type { ContentItem } from "@uag/contract/requests/seedance";
import { invalid } from "./family.ts";

export interface ContentRules {
  readonly images: number;
  readonly videos: number;
  readonly audios: number;
  /** Audio is allowed on its own, without an image. */
  readonly soundAlone: boolean;
  readonly drafts: boolean;
}

export interface ContentSummary {
  readonly prompt: string;
  readonly frames: number;
  readonly videos: number;
  readonly drafts: readonly string[];
}

/**
 * Checks that the items fit together: frames, or references, or a draft to finish. @throws
 * {GatewayError}
 */
export function summarize(content: readonly ContentItem[], rules: ContentRules): ContentSummary {
  const roles = { first_frame: 0, last_frame: 0, reference_image: 0 };
  const counts = { text: 0, image_url: 0, video_url: 0, audio_url: 0, draft_task: 0 };
  for (const part of content) {
    counts[part.type]++;
    if (part.type === "image_url") roles[part.role ?? "first_frame"]++;
  }
  const frames = roles.first_frame + roles.last_frame;
  if (roles.first_frame > 1 || roles.last_frame > 1) fault("must have at most one first_frame and one last_frame");
  if (roles.last_frame > roles.first_frame) fault("requires a first_frame with a last_frame");
  const references = roles.reference_image + counts.video_url + counts.audio_url;
  if (frames > 0 && references > 0) fault("must have frames or references, not both");
  maxOf("reference images", roles.reference_image, rules.images);
  maxOf("reference videos", counts.video_url, rules.videos);
  maxOf("reference audios", counts.audio_url, rules.audios);
  if (counts.audio_url > 0 && !rules.soundAlone && roles.reference_image + counts.video_url === 0) {
    fault("requires a reference image or video with audio");
  }
  if (counts.draft_task > 0 && !rules.drafts) fault("must not have a draft_task with this model");
  if (content.length === 0 || (counts.text === 0 && frames + references + counts.draft_task === 0)) fault("is empty");
  return {
    prompt: content.flatMap((part) => (part.type === "text" ? part.text : [])).join("\n"),
    frames,
    videos: counts.video_url,
    drafts: content.flatMap((part) => (part.type === "draft_task" ? part.draft_task.id : [])),
  };
}

function maxOf(what: string, count: number, max: number): void {
  if (count > max) fault(max === 0 ? `must not have ${what} with this model` : `must have at most ${max} ${what}`);
}

function fault(text: string): never {
  throw invalid("content", `content: ${text}.`);
}
