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
  download: "Download",
  nanoUsd: "{{amount}} nano-USD",
  next: "Next page",
  none: "None",
  pending_one: "{{rows}} new row",
  pending_other: "{{rows}} new rows",
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

export const palette = {
  placeholder: "Search pages, keys, models, accounts, and requests",
  pages: "Pages",
  keys: "Keys",
  models: "Models",
  accounts: "Accounts",
  requests: "Requests",
  request: "Find request {{id}}",
  nothing: "Nothing found",
} as const;

export const simulated = {
  badge: "Simulated",
  hint: "A simulator responds for this provider. Responses are not real, and nothing is sent to the provider.",
  banner: "Simulated providers: {{names}}. Their responses are not real.",
  bannerMore: "Simulated providers: {{names}} and {{more}} more. Their responses are not real.",
  real: "To use a real provider, start with its key:",
  realWith: "Start with {{variable}} to use the real provider.",
} as const;

export const failure = {
  title: "Something went wrong",
  offline: "Can't reach the gateway. Check your connection and try again.",
  retry: "Try again",
  requestId: "Request ID",
} as const;

export const invitation = {
  title: "Welcome",
  about: "You've been invited as {{role}} ({{email}}). Enter your name and choose a password.",
  name: "Your name",
  password: "Password",
  short: "At least {{count}} characters",
  accept: "Create account",
  none: "Invitation not found",
  signIn: "Go to sign-in",
} as const;

export const confirmAddress = {
  title: "Confirm your address",
  about: "After you confirm, this gateway sends the spend alerts of the account named in the email to your address.",
  confirm: "Confirm",
  done: "Confirmed",
  doneAbout: "{{email}} now receives the spend alerts of account {{account}}. You can close this page.",
} as const;

export const nav = {
  sections: { use: "Build", manage: "Manage", operate: "Operate" },
  overview: "Overview",
  keys: "API keys",
  usage: "Usage",
  billing: "Billing",
  models: "Models",
  playground: "Playground",
  webhooks: "Webhooks",
  audit: "Audit log",
  members: "Members",
  settings: "Profile",
  accounts: "Accounts",
  unpriced: "Unpriced requests",
  fleet: "Fleet",
  bills: "Provider bills",
  prices: "Prices",
  providers: "Providers",
} as const;

export const notFound = {
  title: "Page not found",
  hint: "The link may be outdated or mistyped.",
  home: "Go to the home page",
} as const;

export const noAccount = {
  title: "Account not found",
  hint: "No account has this ID. Select an account in the top bar.",
  home: "Show all accounts",
} as const;

export const notForRole = {
  title: "You don't have access to this page",
  hint: "Ask an operator or the account owner for access.",
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
  closeMenu: "Close menu",
  dark: "Dark mode",
  language: "Language",
  light: "Light mode",
  menu: "Open menu",
  navigation: "Main navigation",
  reference: "API reference",
  signOut: "Sign out",
  skip: "Skip to content",
  user: "User menu, {{name}}",
} as const;

export const signIn = {
  title: "Sign in",
  about: "API keys, usage, and billing for your gateway.",
  email: "Email",
  password: "Password",
  showPassword: "Show password",
  submit: "Sign in",
  forgot: "Forgot password?",
  code: "Authentication code",
  codeHint: "From your authenticator app, or a recovery code",
  verify: "Verify",
  lostCodes: "Lost your device and your recovery codes? Ask an operator to reset two-factor authentication.",
  back: "Back to sign-in",
  or: "or",
  with: "Sign in with {{name}}",
  ended: "Your session has expired. Sign in to continue.",
  errors: {
    permission_denied: "You don't have a role here, or your access was disabled. Contact your administrator.",
    already_exists:
      "This email address signs in with a password. Use the password, or ask your administrator to remove that user.",
    invalid_request: "The sign-in expired or was started in another browser. Try again.",
    service_unavailable: "Can't reach your sign-in provider. Try again in a moment.",
  },
} as const;

export const passwordReset = {
  title: "Reset password",
  about: "We'll email you a link to choose a new password.",
  send: "Send link",
  sent: "Check your email",
  sentAbout:
    "If {{email}} belongs to a user with a password, a link is on its way. It works once, for {{count}} minutes.",
  choose: "Choose a new password",
  chooseAbout: "You'll be signed out everywhere else.",
  set: "Set password",
  another: "Request a new link",
  done: "Password changed",
  doneAbout: "Sign in with your new password.",
} as const;

export const twoFactor = {
  title: "Two-factor authentication",
  about: "Require a code from an authenticator app in addition to your password.",
  required: "Your role requires a code from an authenticator app in addition to your password.",
  on: "On",
  off: "Off",
  setUp: "Set up two-factor authentication",
  renew: "New recovery codes",
  disable: "Turn off two-factor authentication",
  disabled: "Two-factor authentication is off.",
  left_one: "{{count}} recovery code left.",
  left_other: "{{count}} recovery codes left.",
  continue: "Continue",
  scan: "Scan this QR code with an authenticator app, such as 1Password, Google Authenticator, or Aegis.",
  qr: "QR code for the authenticator app",
  typeSecret: "Or enter this key in the app:",
  code: "6-digit code from the app",
  confirm: "Verify and turn on",
  codes: "Recovery codes",
  saveCodes: "Save your recovery codes",
  saveCodesAbout: "Each code signs you in once if you lose your device. They won't be shown again.",
  savedCodes: "I've saved my codes",
} as const;
