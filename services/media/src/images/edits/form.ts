import { once } from "node:events";
import { Busboy, type BusboyFileStream, type BusboyInstance } from "@fastify/busboy";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { boundaryOf } from "@uag/pipeline/request/boundary";
import type { BufferLease } from "@uag/untrusted/buffer-budget";

export interface UploadedFile {
  readonly field: string;
  readonly bytes: Buffer;
}

/** A form that was received completely. */
export interface Form {
  readonly files: readonly UploadedFile[];
  /** If a field occurs twice, the last one counts. */
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
/** What may accompany a single image: a mask of at most 4 MiB, and fields. */
const maxBesideBytes = 5 * 1024 * 1024;

/**
 * Parses a form while it arrives, within limits; nothing is written to disk, and the file names are
 * not used.
 * @param options `lease` accounts for the bytes held; `length` is the declared length of the body,
 * if any, so that a form that must exceed the limits is rejected as early as possible
 * @throws {GatewayError} `invalid_request` for an incomplete form, `payload_too_large` beyond a
 * limit
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
  // Handled wherever the parser waits; it may reject while nothing does.
  fault.promise.catch(() => {});
  const fail = (error: Error): void => fault.reject(error);
  parser.on("file", (field, stream, filename) => {
    if (String(filename).length > maxFilenameLength) fail(invalid("A file's name is too long."));
    // Several images use another name, so an image followed by this much data must itself be too
    // large.
    const isAlone = String(field) === "image";
    if (isAlone && length - read > limits.maxFileBytes + maxBesideBytes) {
      fail(tooLarge(`The image is larger than ${limits.maxFileBytes} bytes. (Send several images as image[].)`));
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
      // Dicer emits parts as they are written; a fault is reported before the next chunk is
      // requested.
      if (!parser.write(chunk)) await Promise.race([once(parser, "drain"), fault.promise, finished]);
      await Promise.race([fault.promise, Promise.resolve()]);
    }
    parser.end();
    await Promise.race([finished, fault.promise]);
    await Promise.race([fault.promise, Promise.resolve()]);
  } finally {
    // Later errors of an abandoned parser do not matter.
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
      // A part with a file name or of type octet-stream is a file; any other is a field.
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
