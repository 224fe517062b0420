import { randomText } from "@uag/runtime/ids";
import type { InlineImage } from "../images/types.ts";

export interface MultipartBody {
  readonly contentType: string;
  readonly body: Buffer;
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
  image(name: string, filename: string, image: InlineImage): void {
    const extension = image.mediaType.slice(image.mediaType.indexOf("/") + 1);
    const disposition = `form-data; name="${name}"; filename="${filename}.${extension}"`;
    this.#parts.push(
      Buffer.from(
        `--${this.#boundary}\r\ncontent-disposition: ${disposition}\r\ncontent-type: ${image.mediaType}\r\n\r\n`,
      ),
      image.bytes,
      Buffer.from("\r\n"),
    );
  }

  finish(): MultipartBody {
    const body = Buffer.concat([...this.#parts, Buffer.from(`--${this.#boundary}--\r\n`)]);
    return { contentType: `multipart/form-data; boundary=${this.#boundary}`, body };
  }
}
