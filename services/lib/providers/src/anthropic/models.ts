/** What a Claude model supports, where models differ. */
export interface ModelRules {
  /** `budget`: thinking by a token budget; `adaptive`: by effort. */
  readonly thinking: "none" | "budget" | "adaptive";
  /** Thinking cannot be turned off. */
  readonly alwaysThinks: boolean;
  /** Refuses every sampling value but the default. */
  readonly fixedSampling: boolean;
  /** Supports the effort `xhigh`. */
  readonly xhigh: boolean;
  /** Can be held to the schema of a tool: since Claude 4.1. */
  readonly strictTools: boolean;
}

const newest: ModelRules = {
  thinking: "adaptive",
  alwaysThinks: false,
  fixedSampling: true,
  xhigh: true,
  strictTools: true,
};
const budget: ModelRules = {
  thinking: "budget",
  alwaysThinks: false,
  fixedSampling: false,
  xhigh: false,
  strictTools: true,
};

/**
 * Vendors' names for one model differ only in prefix and date, so substrings decide. The first
 * match counts.
 */
const older: readonly (readonly [name: RegExp, rules: ModelRules])[] = [
  [/claude-(3-7|(opus|sonnet)-4(-0)?(-\d{8}|@|$))/, { ...budget, strictTools: false }],
  [/claude-(opus|sonnet|haiku)-4-[15](-\d{8}|@|$)/, budget],
  [/claude-(instant|2|3)/, { ...budget, thinking: "none", strictTools: false }],
  [/claude-(opus|sonnet)-4-6/, { ...budget, thinking: "adaptive" }],
  [/claude-(fable|mythos)-5|claude-opus-5-5/, { ...newest, alwaysThinks: true }],
];

/** The rules of a model by its name; an unknown name is treated as a new model. */
export function rulesOf(model: string): ModelRules {
  return older.find(([name]) => name.test(model))?.[1] ?? newest;
}
