export const common = {
  add: "添加",
  all: "全部",
  cancel: "取消",
  close: "关闭",
  comma: "、",
  copied: "已复制",
  copy: "复制",
  delete: "删除",
  done: "完成",
  download: "下载",
  nanoUsd: "{{amount}} 纳美元",
  next: "下一页",
  none: "无",
  pending_one: "{{rows}} 条新记录",
  pending_other: "{{rows}} 条新记录",
  page: "第 {{number}} 页",
  previous: "上一页",
  rows: "第 {{first}}–{{last}} 个，共 {{rows}} 个",
  save: "保存",
  saved: "已保存",
  search: "搜索",
  showMore: "显示更多",
  unlimited: "不限",
  actions: "操作",
};

export const palette = {
  placeholder: "搜索页面、密钥、模型、账户和请求",
  pages: "页面",
  keys: "密钥",
  models: "模型",
  accounts: "账户",
  requests: "请求",
  request: "查找请求 {{id}}",
  nothing: "未找到",
};

export const simulated = {
  badge: "模拟",
  hint: "此提供商由模拟器代替。响应为模拟内容，不会向提供商发送任何数据。",
  banner: "模拟的提供商：{{names}}。响应为模拟内容。",
  bannerMore: "模拟的提供商：{{names}} 及另外 {{more}} 个。响应为模拟内容。",
  real: "如需使用真实的提供商，请设置其密钥后启动：",
  realWith: "设置 {{variable}} 后启动即可使用真实的提供商。",
} as const;

export const failure = {
  title: "出错了",
  offline: "无法连接网关。请检查网络后重试。",
  retry: "重试",
  requestId: "请求 ID",
};

export const invitation = {
  title: "欢迎",
  about: "{{email}} 受邀成为{{role}}。请设置姓名和密码。",
  name: "姓名",
  password: "密码",
  short: "至少 {{count}} 个字符",
  accept: "创建账号",
  none: "邀请不存在",
  signIn: "前往登录",
};

export const confirmAddress = {
  title: "确认邮箱",
  about: "确认后，网关会将邮件中所述账户的花费提醒发送到您的邮箱。",
  confirm: "确认",
  done: "已确认",
  doneAbout: "{{email}} 将收到账户 {{account}} 的花费提醒。您可以关闭此页面。",
};

export const nav = {
  sections: { use: "开发", manage: "管理", operate: "运维" },
  overview: "概览",
  keys: "API 密钥",
  usage: "用量",
  billing: "账单",
  models: "模型",
  playground: "体验中心",
  webhooks: "Webhook",
  audit: "审计日志",
  members: "成员",
  settings: "个人设置",
  accounts: "账户",
  unpriced: "未定价请求",
  fleet: "集群",
  bills: "提供商账单",
  prices: "价格",
  providers: "提供商",
};

export const notFound = {
  title: "页面不存在",
  hint: "链接可能已失效或有误。",
  home: "返回首页",
};

export const noAccount = {
  title: "账户不存在",
  hint: "没有此 ID 的账户。请在顶部选择账户。",
  home: "显示全部账户",
};

export const notForRole = {
  title: "您无权访问此页面",
  hint: "请联系运维人员或账户所有者获取权限。",
};

export const roles = {
  operator: "运维人员",
  owner: "所有者",
  member: "成员",
  auditor: "审计员",
};

export const shell = {
  account: "账户",
  allAccounts: "全部账户",
  closeMenu: "关闭菜单",
  dark: "深色模式",
  language: "语言",
  light: "浅色模式",
  menu: "打开菜单",
  navigation: "主导航",
  reference: "API 参考",
  signOut: "退出登录",
  skip: "跳到正文",
  user: "用户菜单，{{name}}",
};

export const signIn = {
  title: "登录",
  about: "管理网关的密钥、用量与账单。",
  email: "邮箱",
  password: "密码",
  showPassword: "显示密码",
  submit: "登录",
  forgot: "忘记密码？",
  code: "验证码",
  codeHint: "来自身份验证器应用，或使用恢复代码",
  verify: "验证",
  lostCodes: "设备和恢复代码都丢失了？请联系运维人员重置双重验证。",
  back: "返回登录",
  or: "或",
  with: "使用 {{name}} 登录",
  ended: "会话已过期，请重新登录。",
  errors: {
    permission_denied: "您没有角色，或访问权限已停用。请联系管理员。",
    already_exists: "此邮箱使用密码登录。请使用密码，或请管理员先移除该用户。",
    invalid_request: "登录超时，或在另一个浏览器中开始。请重试。",
    service_unavailable: "暂时无法连接您的登录服务。请稍后重试。",
  },
};

export const passwordReset = {
  title: "重置密码",
  about: "我们会通过邮件发送设置新密码的链接。",
  send: "发送链接",
  sent: "请查收邮件",
  sentAbout: "如果 {{email}} 属于使用密码登录的用户，链接已发出。链接仅可使用一次，{{count}} 分钟内有效。",
  choose: "设置新密码",
  chooseAbout: "其他所有会话都将退出登录。",
  set: "设置密码",
  another: "重新获取链接",
  done: "密码已修改",
  doneAbout: "请使用新密码登录。",
};

export const twoFactor = {
  title: "双重验证",
  about: "登录时除密码外，还需输入身份验证器应用中的验证码。",
  required: "您的角色要求在密码之外使用身份验证器应用。",
  on: "已开启",
  off: "未开启",
  setUp: "设置双重验证",
  renew: "生成新的恢复代码",
  disable: "关闭双重验证",
  disabled: "双重验证已关闭。",
  left_one: "剩余 {{count}} 个恢复代码。",
  left_other: "剩余 {{count}} 个恢复代码。",
  continue: "继续",
  scan: "使用身份验证器应用（如 1Password、Google Authenticator 或 Aegis）扫描此二维码。",
  qr: "供身份验证器应用扫描的二维码",
  typeSecret: "或在应用中输入此密钥：",
  code: "应用中的 6 位验证码",
  confirm: "验证并开启",
  codes: "恢复代码",
  saveCodes: "请保存恢复代码",
  saveCodesAbout: "丢失设备时，每个代码可用于登录一次。代码不会再次显示。",
  savedCodes: "我已保存",
};
