import type { BusboyFileStream } from "@fastify/busboy";
import { invalid, maxFilenameLength, onField, openForm, tooLarge, tooManyFiles } from "./form-parser.ts";

/** A form whose file was stored while it arrived. */
export interface Upload<T> {
  /** What storing the file returned; undefined when the form has no file. */
  readonly stored: T | undefined;
  /** If a field occurs twice, the last one counts. */
  readonly fields: ReadonlyMap<string, string>;
}

/** How a form with one file is read. */
export interface UploadOptions<T> {
  /** The name of the file's field. */
  readonly field: string;
  readonly maxFileBytes: number;
  /**
   * Stores the file; what it does not read yet is not requested from the client. If the upload fails,
   * so do the bytes, unless they are cut off at the limit: the caller then removes what was stored.
   */
  store(file: { readonly filename: string; readonly bytes: AsyncIterable<Buffer> }): Promise<T>;
}

const maxFiles = 1;

/**
 * Reads a form with one file, which is never in memory as a whole.
 * @throws {GatewayError} `invalid_request` for a form that is incomplete or has another file,
 * `payload_too_large` beyond a limit; what `store` throws
 */
export async function readUpload<T>(
  body: AsyncIterable<Buffer>,
  contentType: string | undefined,
  { field, maxFileBytes, store }: UploadOptions<T>,
): Promise<Upload<T>> {
  const { parser, fail, read } = openForm(contentType, { maxFiles, maxFileBytes });
  const fields = new Map<string, string>();
  let file: BusboyFileStream | undefined;
  let storing: Promise<T> | undefined;
  parser.on("file", (name, stream, filename = "") => {
    // A stream without a reader for its errors would end the process.
    stream.on("error", () => {});
    if (file !== undefined) return fail(tooManyFiles({ maxFiles }));
    file = stream;
    if (String(name) !== field) return fail(invalid(`Send the file as the field '${field}'.`));
    if (filename.length > maxFilenameLength) return fail(invalid("The file's name is too long."));
    stream.on("limit", () => fail(tooLarge(`The file is larger than ${maxFileBytes} bytes.`)));
    storing = store({ filename, bytes: stream as AsyncIterable<Buffer> });
    storing.catch(fail);
  });
  onField(parser, fail, (name, value) => fields.set(name, value));
  try {
    await read(body);
    return { stored: await storing, fields };
  } catch (error) {
    file?.destroy(error as Error);
    await storing?.catch(() => undefined);
    throw error;
  }
}
