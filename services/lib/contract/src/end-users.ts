/**
 * End users of keys below a budget with a rule for them. Each has a level of its own, which no
 * document defines: its id has the budget's. See infra/decisions/0020-budgets.md.
 */

/** The header that names a request's end user where its body does not. */
export const endUserHeader = "x-gateway-end-user";

/** The header of a refusal that no other end user gets: the budget whose part for this one is used up. */
export const endUserBudgetHeader = "x-gateway-end-user-budget";

/** The longest name of an end user, characters. */
export const maxEndUserLength = 512;

const separator = ":";

/**
 * The id of an end user's level.
 * @param pseudonym the end user's, without a colon or a slash
 */
export const endUserLevelId = (budgetId: string, pseudonym: string): string => `${budgetId}${separator}${pseudonym}`;

/** Whether a level is an end user's. */
export const isEndUserLevel = (levelId: string): boolean => levelId.includes(separator);

/** The budget of a level: the one whose rule gives an end user its part, or the level itself. */
export function budgetOfLevel(levelId: string): string {
  const end = levelId.indexOf(separator);
  return end < 0 ? levelId : levelId.slice(0, end);
}
