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
