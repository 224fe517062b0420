import { once } from "node:events";
import { Busboy, type BusboyFileStream, type BusboyInstance } from "@fastify/busboy";
import { boundaryOf } from "@uag/capability/request/boundary.ts";
import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import type { BufferLease } from "@uag/kit/buffer-budget.ts";

export interface UploadedFile {
  readonly field: string;
  readonly bytes: Buffer;
}

/** A form that came in whole. */
export interface Form {
  readonly files: readonly UploadedFile[];
  /** Of a field that is there twice the last counts. */
  readonly fields: ReadonlyMap<string, string>;
}

export interface FormLimits {
  readonly maxFiles: number;
  readonly maxFileBytes: number;
}

const maxFields = 64;
const maxFieldBytes = 256 * 1024;
const maxHeaderBytes = 16 * 1024;
const maxFilenameLength = 1_024;
/** What may stand beside an image that is alone: a mask of at most 4 MiB, and fields. */
const maxBesideBytes = 5 * 1024 * 1024;

/**
 * Reads a form as it comes in, within limits; nothing is written to disk, and what the files are
 * called is not used.
 * @param options `lease` pays for the bytes that are held; `length` is how long the body says it
 *   is, if it does, so that a form that cannot keep to the limits is given up as soon as that is
 *   clear
 * @throws {GatewayError} `invalid_request` for a form that is not whole, `payload_too_large` beyond
 * a limit
 */
export async function readForm(
  body: AsyncIterable<Buffer>,
  contentType: string | undefined,
  options: { limits: FormLimits; length?: number; lease: BufferLease },
): Promise<Form> {
  const { limits, lease, length = 0 } = options;
  const parser = openParser(contentType, limits);
  let read = 0;
  const files: UploadedFile[] = [];
  const fields = new Map<string, string>();
  const fault = Promise.withResolvers<never>();
  // Looked at wherever the reading waits; it may come while nothing does.
  fault.promise.catch(() => {});
  const fail = (error: Error): void => fault.reject(error);
  parser.on("file", (field, stream, filename) => {
    if (String(filename).length > maxFilenameLength) fail(invalid("A file's name is too long."));
    // Several images have another name: one that is followed by so much is too large by itself.
    const isAlone = String(field) === "image";
    if (isAlone && length - read > limits.maxFileBytes + maxBesideBytes) {
      fail(tooLarge(`The image is larger than ${limits.maxFileBytes} bytes. (Several go under the name image[].)`));
    }
    collect(stream, { field: String(field), files, lease, limits, fail });
  });
  parser.on("field", (name, value, nameCut, valueCut) => {
    if (nameCut || valueCut) fail(tooLarge(`The field is larger than ${maxFieldBytes} bytes.`));
    else fields.set(String(name), value);
  });
  parser.on("partsLimit", () => fail(invalid("The form has too many parts.")));
  parser.on("filesLimit", () => fail(invalid(`The form has more than ${limits.maxFiles} files.`)));
  parser.on("fieldsLimit", () => fail(invalid("The form has too many fields.")));
  parser.on("error", (error) => fail(invalid("The form is not valid multipart/form-data.", error)));
  const finished = once(parser, "finish").catch((error: unknown) => {
    throw invalid("The form is not valid multipart/form-data.", error);
  });
  finished.catch(() => {});
  try {
    for await (const chunk of body) {
      read += chunk.length;
      // Dicer emits parts as they are written; a fault is told before the next chunk is asked for.
      if (!parser.write(chunk)) await Promise.race([once(parser, "drain"), fault.promise, finished]);
      await Promise.race([fault.promise, Promise.resolve()]);
    }
    parser.end();
    await Promise.race([finished, fault.promise]);
    await Promise.race([fault.promise, Promise.resolve()]);
  } finally {
    // Later errors of a parser that was given up concern nobody.
    parser.removeAllListeners();
    parser.on("error", () => {});
    parser.destroy();
  }
  return { files, fields };
}

function openParser(contentType: string | undefined, { maxFiles, maxFileBytes }: FormLimits): BusboyInstance {
  if (contentType === undefined || boundaryOf(contentType) === undefined) {
    throw invalid("The content type must be multipart/form-data with a boundary.");
  }
  try {
    return new Busboy({
      headers: { "content-type": contentType },
      // A part with a name of its own for the file, or a type, is a file, whatever the type.
      isPartAFile: (_field, type, filename) => filename !== undefined || type === "application/octet-stream",
      limits: {
        fieldNameSize: 100,
        fieldSize: maxFieldBytes,
        fields: maxFields,
        files: maxFiles,
        fileSize: maxFileBytes,
        parts: maxFiles + maxFields,
        headerPairs: 32,
        headerSize: maxHeaderBytes,
      },
    });
  } catch (error) {
    throw invalid("The content type is not valid.", error);
  }
}

interface Collecting {
  readonly field: string;
  readonly files: UploadedFile[];
  readonly lease: BufferLease;
  readonly limits: FormLimits;
  fail(error: Error): void;
}

function collect(stream: BusboyFileStream, { field, files, lease, limits, fail }: Collecting): void {
  const chunks: Buffer[] = [];
  let size = 0;
  stream.on("data", (chunk: Buffer) => {
    try {
      lease.take(chunk.length);
    } catch (error) {
      fail(error as Error);
      return;
    }
    size += chunk.length;
    chunks.push(chunk);
  });
  stream.on("limit", () => fail(tooLarge(`A file is larger than ${limits.maxFileBytes} bytes.`)));
  stream.on("error", (error) => fail(invalid("The form ended in the middle of a file.", error)));
  stream.on("end", () => files.push({ field, bytes: Buffer.concat(chunks, size) }));
}

function invalid(text: string, cause?: unknown): GatewayError {
  return new GatewayError("invalid_request", text, { cause });
}

function tooLarge(text: string): GatewayError {
  return new GatewayError("payload_too_large", text);
}
