import type { Letter, MailServer } from "./mail-server.ts";

/** The letters to an address, in the order received. */
export const lettersTo = ({ letters }: MailServer, to: string): readonly Letter[] =>
  letters.filter((one) => one.to === to);

/** The subjects of the letters to an address. */
export const subjectsTo = (mail: MailServer, to: string): string[] =>
  lettersTo(mail, to).map(({ text }) => /^Subject: (.*?)\r?$/m.exec(text.replace(/\r?\n[ \t]/g, " "))?.[1] ?? "");

/** The link of the first confirmation mail to an address: its page, and the token in its fragment. */
export function confirmationLink(mail: MailServer, to: string): { readonly page: string; readonly token: string } {
  const text = lettersTo(mail, to)[0]?.text.replaceAll("=\r\n", "").replaceAll("=3D", "=") ?? "";
  const [, page = "", token = ""] = /(http\S+\/console\/confirm-address)#([\w-]{43})/.exec(text) ?? [];
  return { page, token };
}
