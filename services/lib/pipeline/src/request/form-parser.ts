import { once } from "node:events";
import { Busboy, type BusboyInstance } from "@fastify/busboy";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { boundaryOf } from "./boundary.ts";

const maxFields = 64;
const maxFieldBytes = 256 * 1024;
const maxHeaderBytes = 16 * 1024;

/** Characters. */
export const maxFilenameLength = 1_024;

/** Bounds of a form's files. */
export interface FileLimits {
  readonly maxFiles: number;
  /** Of one file. */
  readonly maxFileBytes: number;
}

/** A parser that ends with the first fault, whether it finds that itself or is given it. */
export interface OpenForm {
  readonly parser: BusboyInstance;
  fail(error: Error): void;
  /**
   * Feeds the parser, whose events arrive meanwhile.
   * @throws {GatewayError} the first fault
   */
  read(body: AsyncIterable<Buffer>, onChunk?: (chunk: Buffer) => void): Promise<void>;
}

/**
 * Opens a parser for a form.
 * @throws {GatewayError} `invalid_request` for a content type that is none of a form
 */
export function openForm(contentType: string | undefined, limits: FileLimits): OpenForm {
  const parser = openParser(contentType, limits);
  const fault = Promise.withResolvers<never>();
  // Handled wherever the parser waits; it may reject while nothing does.
  fault.promise.catch(() => {});
  const fail = (error: Error): void => fault.reject(error);
  parser.on("partsLimit", () => fail(invalid("The form has too many parts.")));
  parser.on("filesLimit", () => fail(tooManyFiles(limits)));
  parser.on("fieldsLimit", () => fail(invalid("The form has too many fields.")));
  parser.on("error", (error) => fail(invalid("The form is not valid multipart/form-data.", error)));
  return { parser, fail, read: (body, onChunk) => feed(parser, fault.promise, { body, onChunk }) };
}

async function feed(
  parser: BusboyInstance,
  fault: Promise<never>,
  { body, onChunk }: { body: AsyncIterable<Buffer>; onChunk: ((chunk: Buffer) => void) | undefined },
): Promise<void> {
  const finished = once(parser, "finish").catch((error: unknown) => {
    throw invalid("The form is not valid multipart/form-data.", error);
  });
  finished.catch(() => {});
  try {
    for await (const chunk of body) {
      onChunk?.(chunk);
      // Dicer emits parts as they are written; a fault is reported before the next chunk is
      // requested.
      if (!parser.write(chunk)) await Promise.race([once(parser, "drain"), fault, finished]);
      await Promise.race([fault, Promise.resolve()]);
    }
    parser.end();
    await Promise.race([finished, fault]);
    await Promise.race([fault, Promise.resolve()]);
  } finally {
    // Later errors of an abandoned parser do not matter.
    parser.removeAllListeners();
    parser.on("error", () => {});
    parser.destroy();
  }
}

/** Calls back for each complete field. */
export function onField(
  parser: BusboyInstance,
  fail: OpenForm["fail"],
  take: (name: string, value: string) => void,
): void {
  parser.on("field", (name, value, nameCut, valueCut) => {
    if (nameCut || valueCut) fail(tooLarge(`The field is larger than ${maxFieldBytes} bytes.`));
    else take(String(name), value);
  });
}

function openParser(contentType: string | undefined, { maxFiles, maxFileBytes }: FileLimits): BusboyInstance {
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

/** The error for a form that is not acceptable. */
export function invalid(text: string, cause?: unknown): GatewayError {
  return new GatewayError("invalid_request", text, { cause });
}

/** The error for a form with more files than allowed. */
export function tooManyFiles({ maxFiles }: Pick<FileLimits, "maxFiles">): GatewayError {
  return invalid(`The form has more than ${maxFiles} ${maxFiles === 1 ? "file" : "files"}.`);
}

/** The error for a file or field beyond its limit. */
export function tooLarge(text: string): GatewayError {
  return new GatewayError("payload_too_large", text);
}
