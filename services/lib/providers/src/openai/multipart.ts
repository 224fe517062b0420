import { randomText } from "@uag/runtime/ids";

export interface MultipartBody {
  readonly contentType: string;
  /** In pieces, so that files are not copied. */
  readonly body: readonly Buffer[];
}

/** A file of a form. */
export interface MultipartFile {
  readonly mediaType: string;
  readonly chunks: readonly Buffer[];
}

/** Builds a form: names are ours, values and files the user's. */
export class MultipartForm {
  readonly #boundary = `form-${randomText(32)}`;
  readonly #parts: Buffer[] = [];

  field(name: string, value: string): void {
    this.#parts.push(Buffer.from(`--${this.#boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n`));
    this.#parts.push(Buffer.from(`${value}\r\n`));
  }

  /** The file name is generated here: the user's own is private and may be malicious. */
  file(name: string, filename: string, { mediaType, chunks }: MultipartFile): void {
    const disposition = `form-data; name="${name}"; filename="${filename}"`;
    this.#parts.push(
      Buffer.from(`--${this.#boundary}\r\ncontent-disposition: ${disposition}\r\ncontent-type: ${mediaType}\r\n\r\n`),
      ...chunks,
      Buffer.from("\r\n"),
    );
  }

  finish(): MultipartBody {
    const body = [...this.#parts, Buffer.from(`--${this.#boundary}--\r\n`)];
    return { contentType: `multipart/form-data; boundary=${this.#boundary}`, body };
  }
}
