/** What a Claude model takes, where models differ. */
export interface ModelRules {
  /** `budget`: thinking by a number of tokens; `adaptive`: by effort. */
  readonly thinking: "none" | "budget" | "adaptive";
  /** Thinking cannot be turned off. */
  readonly alwaysThinks: boolean;
  /** Refuses every sampling value but the default. */
  readonly fixedSampling: boolean;
  /** Knows the effort `xhigh`. */
  readonly xhigh: boolean;
}

const newest: ModelRules = { thinking: "adaptive", alwaysThinks: false, fixedSampling: true, xhigh: true };
const budget: ModelRules = { thinking: "budget", alwaysThinks: false, fixedSampling: false, xhigh: false };

/**
 * Vendors' names of one model differ in prefix and date only, so parts of names decide. The first
 * that fits counts.
 */
const older: readonly (readonly [name: RegExp, rules: ModelRules])[] = [
  [/claude-(3-7|(opus|sonnet|haiku)-4(-[015])?(-\d{8}|@|$))/, budget],
  [/claude-(instant|2|3)/, { ...budget, thinking: "none" }],
  [/claude-(opus|sonnet)-4-6/, { ...budget, thinking: "adaptive" }],
  [/claude-(fable|mythos)-5|claude-opus-5-5/, { ...newest, alwaysThinks: true }],
];

/** The rules of a model by its name; a name that is not known is taken for a new model. */
export function rulesOf(model: string): ModelRules {
  return older.find(([name]) => name.test(model))?.[1] ?? newest;
}
