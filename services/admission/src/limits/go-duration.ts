const msPerSecond = 1_000;
const msPerMinute = 60 * msPerSecond;
const msPerHour = 60 * msPerMinute;

/**
 * Milliseconds as Go prints a duration (`1h0m0s`, `6m0s`, `1.5s`, `20ms`, `0s`), the form that
 * OpenAI's `x-ratelimit-reset-*` have.
 */
export function goDuration(ms: number): string {
  const whole = Math.max(0, Math.ceil(ms));
  if (whole === 0) return "0s";
  if (whole < msPerSecond) return `${whole}ms`;
  const seconds = `${(whole % msPerMinute) / msPerSecond}s`;
  if (whole < msPerMinute) return seconds;
  const minutes = `${Math.floor((whole % msPerHour) / msPerMinute)}m${seconds}`;
  return whole < msPerHour ? minutes : `${Math.floor(whole / msPerHour)}h${minutes}`;
}
