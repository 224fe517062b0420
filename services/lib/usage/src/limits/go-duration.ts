const msPerSecond = 1_000;
const msPerMinute = 60 * msPerSecond;
const msPerHour = 60 * msPerMinute;

/**
 * Milliseconds in Go's duration format (`1h0m0s`, `6m0s`, `1.5s`, `20ms`, `0s`), which OpenAI uses
 * for `x-ratelimit-reset-*`.
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
