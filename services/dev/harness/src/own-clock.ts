/** Stands in for the database's clock where the database is on this machine. */
export const ownClock = { moment: async (): Promise<number> => Date.now() };
