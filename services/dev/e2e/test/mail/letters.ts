import type { Letter, MailServer } from "./mail-server.ts";

/** The letters to an address, in the order received. */
export const lettersTo = ({ letters }: MailServer, to: string): readonly Letter[] =>
  letters.filter((one) => one.to === to);

/** The subjects of the letters to an address. */
export const subjectsTo = (mail: MailServer, to: string): string[] =>
  lettersTo(mail, to).map(({ text }) => /^Subject: (.*?)\r?$/m.exec(text.replace(/\r?\n[ \t]/g, " "))?.[1] ?? "");

/** The text of a letter without its transfer encoding. */
const decoded = ({ text }: Letter): string => text.replaceAll("=\r\n", "").replaceAll("=3D", "=");

/** The link in a letter that begins with a text. @throws {Error} if it has none */
export function linkIn(letter: Letter | undefined, start: string): string {
  const text = letter === undefined ? "" : decoded(letter);
  const at = text.indexOf(start);
  if (at === -1) throw new Error(`no link to ${start} in: ${text}`);
  return /^\S+/.exec(text.slice(at))?.[0] ?? "";
}

/** The link of the first confirmation mail to an address: its page, and the token in its fragment. */
export function confirmationLink(mail: MailServer, to: string): { readonly page: string; readonly token: string } {
  const letter = lettersTo(mail, to)[0];
  const text = letter === undefined ? "" : decoded(letter);
  const [, page = "", token = ""] = /(http\S+\/console\/confirm-address)#([\w-]{43})/.exec(text) ?? [];
  return { page, token };
}
