/** RFC 2046, 5.1.1: a boundary has 1 to 70 characters. */
const longestBoundary = 70;
const parameter = /;[ \t]*boundary=(?:"([^"]*)"|([^\s;,]*))/i;

/** What separates the parts of a form, from its content type; undefined when there is none that a form may have. */
export function boundaryOf(contentType: string | undefined): string | undefined {
  const [, quoted, plain] = parameter.exec(contentType ?? "") ?? [];
  const boundary = quoted ?? plain ?? "";
  return boundary === "" || boundary.length > longestBoundary ? undefined : boundary;
}
