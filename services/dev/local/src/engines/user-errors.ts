import { UserError } from "../terminal/step.mjs";
import type { EnginePin } from "./pins.ts";

const getYourOwn = ({ name, minVersion, vendor }: EnginePin): string =>
  `Install ${name} ${minVersion} or newer from ${vendor} and put it in PATH, ` +
  `or name a running server with ${name === "mongod" ? "MONGODB_URL" : "NATS_URL"}.`;

export const notPackaged = (pin: EnginePin, platform: string, arch: string): UserError =>
  new UserError(`No packaged ${pin.name} exists for ${platform}-${arch}.\n${getYourOwn(pin)}`);

/** For a fetched server that fails to start; on Linux a library of the system is what it lacks. */
export function doesNotRun(pin: EnginePin, platform: string, output: string): UserError {
  const names = new Set([...output.matchAll(/(lib[\w.+-]+\.so[.\d]*)/g)].map((match) => match[1]));
  const missing = names.size > 0 ? `: ${[...names].join(", ")} is missing` : "";
  const libraries = platform === "linux" ? "On Debian: apt-get install libssl3 libcurl4 liblzma5\n" : "";
  return new UserError(
    `${pin.name} was fetched but does not run here${missing}.\nIt said: ${output.trim()}\n${libraries}${getYourOwn(pin)}`,
  );
}
