import { dayOfSeconds, type MediaSpec, mediaUrl } from "../media/url.ts";
import { endOf, type Task } from "./task.ts";

/** Facts that every task stores for the URLs of its results. */
interface UrlFacts {
  origin: string;
  emptyUrl: boolean;
  expiredUrl: boolean;
  slowUrl?: number;
}

/**
 * The URL of a result, valid for a day after the task's end; empty with the corresponding fault.
 */
export function resultUrl(task: Task, spec: MediaSpec): string {
  const facts = task.facts as unknown as UrlFacts;
  if (facts.emptyUrl) return "";
  const ended = Math.floor(endOf(task) / 1000);
  const expires = facts.expiredUrl ? ended - 1 : ended + dayOfSeconds;
  return mediaUrl(spec, { origin: facts.origin, expires, slow: facts.slowUrl });
}
