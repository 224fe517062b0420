import type { BusboyFileStream } from "@fastify/busboy";
import type { BufferLease } from "@uag/untrusted/buffer-budget";
import type { BodyReader } from "../operation/body-reader.ts";
import { invalid, maxFilenameLength, onField, openForm, tooLarge, tooManyFiles } from "./form-parser.ts";

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
  const { parser, fail, read: readParts } = openForm(contentType, limits);
  let read = 0;
  const files: (UploadedFile | LinkedFile)[] = [];
  const fields = new Map<string, string>();
  const lists = new Map<string, string[]>();
  parser.on("file", (field, stream, filename) => {
    if (String(filename).length > maxFilenameLength) fail(invalid("A file's name is too long."));
    const { lone, maxFileBytes } = limits;
    // Followed by this much data, it must itself be too large.
    if (String(field) === lone.field && length - read > maxFileBytes + lone.besideBytes) fail(tooLarge(lone.tooLarge));
    collect(stream, { field: String(field), files, lease, limits, fail });
  });
  onField(parser, fail, (name, value) => {
    if (isFileField(name)) {
      if (files.push({ field: name, url: value }) > limits.maxFiles) fail(tooManyFiles(limits));
    } else {
      fields.set(name, value);
      addTo(lists, name, value);
    }
  });
  await readParts(body, (chunk) => {
    read += chunk.length;
  });
  return { files, fields, lists };
}

function addTo(lists: Map<string, string[]>, name: string, value: string): void {
  const known = lists.get(name);
  if (known === undefined) lists.set(name, [value]);
  else known.push(value);
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
