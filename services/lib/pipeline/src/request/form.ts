import { once } from "node:events";
import { Busboy, type BusboyFileStream, type BusboyInstance } from "@fastify/busboy";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { BufferLease } from "@uag/untrusted/buffer-budget";
import type { BodyReader } from "../operation/body-reader.ts";
import { boundaryOf } from "./boundary.ts";

/** A file of a form. */
export interface UploadedFile {
  readonly field: string;
  /** Its content as it was received, so that a large file is not copied. */
  readonly chunks: readonly Buffer[];
  readonly size: number;
}

/** A text in place of a file. */
interface LinkedFile {
  readonly field: string;
  readonly url: string;
}

/** A form that was received completely. */
export interface Form {
  readonly files: readonly (UploadedFile | LinkedFile)[];
  /** If a field occurs twice, the last one counts. */
  readonly fields: ReadonlyMap<string, string>;
  /** Every value of each field, in order: lists such as `include[]` repeat it. */
  readonly lists: ReadonlyMap<string, readonly string[]>;
}

/** What a form may contain. */
export interface FormLimits {
  readonly maxFiles: number;
  readonly maxFileBytes: number;
  /**
   * A field whose file comes alone, such as `image` beside `image[]`: a form that must exceed the
   * limit of one file is rejected at its first bytes.
   */
  readonly lone: LoneFile;
}

/** The bound of a file that comes alone. */
interface LoneFile {
  readonly field: string;
  /** Most bytes that may accompany it. */
  readonly besideBytes: number;
  /** The error for one that is too large. */
  readonly tooLarge: string;
}

/** Bodies that are one form, within limits. */
export function formBody(limits: FormLimits, isFileField?: FormOptions["isFileField"]): BodyReader<Form> {
  return {
    read(exchange, lease) {
      const length = Number(exchange.header("content-length") ?? 0);
      const options = { limits, length, lease, ...(isFileField !== undefined && { isFileField }) };
      return readForm(exchange.body(), exchange.header("content-type"), options);
    },
  };
}

/** How a form is read. */
export interface FormOptions {
  readonly limits: FormLimits;
  /** The declared length of the body, if any: a form that must exceed the limits is rejected early. */
  readonly length?: number;
  /** Accounts for the bytes held. */
  readonly lease: BufferLease;
  /** Whether a field of this name is for files, so that a text in it is a file's URL. */
  readonly isFileField?: (name: string) => boolean;
}

const maxFields = 64;
const maxFieldBytes = 256 * 1024;
const maxHeaderBytes = 16 * 1024;
const maxFilenameLength = 1_024;

/**
 * Parses a form while it arrives, within limits; nothing is written to disk, and the file names are
 * not used.
 * @throws {GatewayError} `invalid_request` for an incomplete form, `payload_too_large` beyond a
 * limit
 */
export async function readForm(
  body: AsyncIterable<Buffer>,
  contentType: string | undefined,
  options: FormOptions,
): Promise<Form> {
  const { limits, lease, length = 0, isFileField = () => false } = options;
  const parser = openParser(contentType, limits);
  let read = 0;
  const files: (UploadedFile | LinkedFile)[] = [];
  const fields = new Map<string, string>();
  const lists = new Map<string, string[]>();
  const fault = Promise.withResolvers<never>();
  // Handled wherever the parser waits; it may reject while nothing does.
  fault.promise.catch(() => {});
  const fail = (error: Error): void => fault.reject(error);
  parser.on("file", (field, stream, filename) => {
    if (String(filename).length > maxFilenameLength) fail(invalid("A file's name is too long."));
    const { lone, maxFileBytes } = limits;
    // Followed by this much data, it must itself be too large.
    if (String(field) === lone.field && length - read > maxFileBytes + lone.besideBytes) fail(tooLarge(lone.tooLarge));
    collect(stream, { field: String(field), files, lease, limits, fail });
  });
  parser.on("field", (name, value, nameCut, valueCut) => {
    if (nameCut || valueCut) fail(tooLarge(`The field is larger than ${maxFieldBytes} bytes.`));
    else if (isFileField(String(name))) {
      if (files.push({ field: String(name), url: value }) > limits.maxFiles) fail(tooManyFiles(limits));
    } else {
      fields.set(String(name), value);
      addTo(lists, String(name), value);
    }
  });
  parser.on("partsLimit", () => fail(invalid("The form has too many parts.")));
  parser.on("filesLimit", () => fail(tooManyFiles(limits)));
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
  return { files, fields, lists };
}

function addTo(lists: Map<string, string[]>, name: string, value: string): void {
  const known = lists.get(name);
  if (known === undefined) lists.set(name, [value]);
  else known.push(value);
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
  readonly files: (UploadedFile | LinkedFile)[];
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
  stream.on("end", () => files.push({ field, chunks, size }));
}

function invalid(text: string, cause?: unknown): GatewayError {
  return new GatewayError("invalid_request", text, { cause });
}

function tooManyFiles({ maxFiles }: FormLimits): GatewayError {
  return invalid(`The form has more than ${maxFiles} files.`);
}

function tooLarge(text: string): GatewayError {
  return new GatewayError("payload_too_large", text);
}
