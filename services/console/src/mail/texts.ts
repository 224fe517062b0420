/** Subject and text of a mail. */
export interface MailText {
  readonly subject: string;
  readonly text: string;
}

const english = {
  invitation: (by: string, link: string, until: string): MailText => ({
    subject: "You're invited to the AI gateway",
    text: `${by} has invited you to the console of the AI gateway.

Open this link by ${until} to choose a password and sign in:

${link}

The link works once. If you did not expect this invitation, ignore this mail.
`,
  }),
  passwordReset: (link: string, minutes: number): MailText => ({
    subject: "Reset your password for the AI gateway",
    text: `Somebody, probably you, has asked to reset the password of this address for the console of the AI gateway.

Open this link within ${minutes} minutes to choose a new password:

${link}

The link works once. If you did not ask for it, ignore this mail: your password stays as it is.
`,
  }),
  passwordChanged: (): MailText => ({
    subject: "Your password for the AI gateway was reset",
    text: `The password of this address for the console of the AI gateway was reset by a mailed link, and all of its sessions were signed out.

If that was not you, contact your administrator.
`,
  }),
};

const chinese: typeof english = {
  invitation: (by, link, until) => ({
    subject: "邀请您加入 AI 网关",
    text: `${by} 邀请您使用 AI 网关控制台。

请在 ${until} 之前打开以下链接，设置密码并登录：

${link}

链接仅可使用一次。如果您并未预期收到此邀请，请忽略本邮件。
`,
  }),
  passwordReset: (link, minutes) => ({
    subject: "重置您的 AI 网关密码",
    text: `有人（可能是您本人）请求重置此邮箱在 AI 网关控制台的密码。

请在 ${minutes} 分钟内打开以下链接，设置新密码：

${link}

链接仅可使用一次。如果不是您本人操作，请忽略本邮件，您的密码不会改变。
`,
  }),
  passwordChanged: () => ({
    subject: "您的 AI 网关密码已重置",
    text: `此邮箱在 AI 网关控制台的密码已通过邮件链接重置，所有会话均已退出登录。

如果不是您本人操作，请联系管理员。
`,
  }),
};

/** The mails in a user's language. @param language BCP 47; null for English */
export const mailTexts = (language: string | null): typeof english =>
  language?.toLowerCase().startsWith("zh") ? chinese : english;
