import { readFile } from "node:fs/promises";
import { services } from "@uag/local/processes";
import { UserError } from "@uag/local/terminal/step";
import { stringify } from "yaml";
import { z } from "zod";

/**
 * What `docker buildx build --push --metadata-file` writes:
 * https://docs.docker.com/reference/cli/docker/buildx/build/#metadata-file
 */
const metadata = z.object({
  "containerimage.digest": z.string().regex(/^sha256:[0-9a-f]{64}$/),
  "image.name": z.string(),
});

/** The last component of an image's name, without tag and digest: `chat` of `a.example/uag/chat:1`. */
const serviceOf = (name: string): string => /([^/:@]+)(?::[^/@]+)?(?:@[^/]+)?$/.exec(name)?.[1] ?? name;

async function pushed(file: string): Promise<{ service: string; digest: string }> {
  const { success, data } = metadata.safeParse(JSON.parse(await readFile(file, "utf8")));
  if (!success)
    throw new UserError(`${file} has no containerimage.digest and image.name. Build with --push and --metadata-file.`);
  const service = serviceOf(data["image.name"]);
  if (services.every(({ name }) => name !== service))
    throw new UserError(`${file}: ${data["image.name"]} is the image of no service.`);
  return { service, digest: data["containerimage.digest"] };
}

/**
 * Values of the fleet's chart, as YAML, that run pushed images by their digests.
 * @param files metadata of builds, one file per image
 */
export async function digestValues(files: readonly string[]): Promise<string> {
  const values: Record<string, object> = {};
  for (const { service, digest } of await Promise.all(files.map(pushed))) {
    values[service] = { image: { digest } };
    // The companion of MongoDB's members is a program in billing's image.
    if (service === "billing") values["mongodb"] = { companion: { image: { digest } } };
  }
  return stringify(values);
}
