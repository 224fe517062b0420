export const common = {
  add: "Add",
  all: "All",
  cancel: "Cancel",
  close: "Close",
  comma: ", ",
  copied: "Copied",
  copy: "Copy",
  delete: "Delete",
  done: "Done",
  nanoUsd: "{{amount}} nano-USD",
  next: "Next page",
  none: "none",
  page: "Page {{number}}",
  previous: "Previous page",
  rows: "{{first}}–{{last}} of {{rows}}",
  save: "Save",
  saved: "Saved",
  search: "Search",
  showMore: "Show more",
  unlimited: "Unlimited",
  actions: "Actions",
} as const;

export const failure = {
  title: "That did not work",
  offline: "The gateway cannot be reached. Check your connection, then try again.",
  retry: "Try again",
  requestId: "Request",
} as const;

export const invitation = {
  title: "Welcome",
  about: "{{email}} was invited as {{role}}. Choose a name and a password.",
  name: "Your name",
  password: "Password",
  short: "At least {{count}} characters",
  accept: "Join",
  none: "No such invitation",
  signIn: "Go to the sign-in",
} as const;

export const confirmAddress = {
  title: "Confirm your address",
  about: "After you confirm, this gateway sends the spend alerts of the account named in the mail to your address.",
  confirm: "Confirm",
  done: "Confirmed",
  doneAbout: "{{email}} now receives the spend alerts of account {{account}}. You can close this page.",
} as const;

export const nav = {
  sections: { use: "Use", manage: "Manage", operate: "Operate" },
  keys: "API keys",
  usage: "Usage",
  billing: "Billing",
  models: "Models",
  playground: "Playground",
  webhooks: "Webhooks",
  audit: "Audit log",
  members: "Members",
  settings: "Your profile",
  accounts: "Accounts",
  unpriced: "Unpriced requests",
  fleet: "Fleet",
  bills: "Provider bills",
} as const;

export const notFound = {
  title: "There is nothing here",
  hint: "The address may be old, or mistyped.",
  home: "Go to the start page",
} as const;

export const notForRole = {
  title: "This page is not for your role",
  hint: "An operator or the account's owner can change what you may see.",
} as const;

export const roles = {
  operator: "Operator",
  owner: "Owner",
  member: "Member",
  auditor: "Auditor",
} as const;

export const shell = {
  account: "Account",
  allAccounts: "All accounts",
  closeMenu: "Close the menu",
  dark: "Dark mode",
  language: "Language",
  light: "Light mode",
  menu: "Open the menu",
  navigation: "Pages",
  reference: "API reference",
  signOut: "Sign out",
  skip: "Skip to the content",
  user: "Your account, {{name}}",
} as const;

export const signIn = {
  title: "Sign in",
  about: "Keys, usage and billing of your gateway.",
  email: "E-mail",
  password: "Password",
  showPassword: "Show the password",
  submit: "Sign in",
  or: "or",
  with: "Sign in with {{name}}",
  ended: "Your session has ended. Sign in again to go on where you were.",
  errors: {
    permission_denied: "You have no role here, or may not sign in any more. Ask whoever runs the gateway.",
    already_exists: "A user of your address signs in with a password. Use it, or have the user removed first.",
    invalid_request: "The sign-in expired or was started in another browser. Try again.",
    service_unavailable: "Your sign-in provider cannot be reached just now. Try again in a moment.",
  },
} as const;
