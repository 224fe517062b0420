import { UserError } from "../terminal/step.mjs";
import type { EnginePin } from "./pins.ts";

const getYourOwn = ({ name, minVersion, vendor }: EnginePin): string =>
  `Install ${name} ${minVersion} or newer from ${vendor} and put it in PATH, ` +
  `or set ${name === "mongod" ? "MONGODB_URL" : "NATS_URL"} to a running server.`;

export const notPackaged = (pin: EnginePin, platform: string, arch: string): UserError =>
  new UserError(`There is no packaged ${pin.name} for ${platform}-${arch}.\n${getYourOwn(pin)}`);

/** For a downloaded server that fails to start; on Linux because a system library is missing. */
export function doesNotRun(pin: EnginePin, platform: string, output: string): UserError {
  const names = new Set([...output.matchAll(/(lib[\w.+-]+\.so[.\d]*)/g)].map((match) => match[1]));
  const missing = names.size > 0 ? `: ${[...names].join(", ")} is missing` : "";
  const libraries = platform === "linux" ? "On Debian: apt-get install libssl3 libcurl4 liblzma5\n" : "";
  return new UserError(
    `${pin.name} was downloaded but does not run here${missing}.\nIts output: ${output.trim()}\n${libraries}${getYourOwn(pin)}`,
  );
}
