interface Call {
  /** With the base URL. */
  readonly url: string;
  /** JSON on one line. */
  readonly body: string;
}

/** A POST request to paste into a terminal once `API_KEY` is set. */
export const curlOf = ({ url, body }: Call): string =>
  `curl ${url} \\
  -H "Authorization: Bearer $API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '${body}'`;
