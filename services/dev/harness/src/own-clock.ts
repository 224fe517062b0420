/** This machine's clock, used as the database's clock when the database runs here. */
export const ownClock = { moment: async (): Promise<number> => Date.now() };
