/**
 * Makes the simulator misbehave: `match` selects requests, `faults` what happens to them (see its
 * README). Returns a function that ends all faults.
 */
export async function setFault(simulatorUrl: string, faults: object, match: object = {}): Promise<() => Promise<void>> {
  const { status } = await fetch(`${simulatorUrl}/sim/faults`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ match, faults }),
  });
  if (status >= 300) throw new Error(`the simulator refused the fault: ${status}`);
  return async () => {
    await fetch(`${simulatorUrl}/sim/faults`, { method: "DELETE" });
  };
}

export interface LoggedAttempt {
  readonly model: string | null;
  readonly outcome: string;
  readonly status: number;
  readonly request_id: string | null;
}

/** The newest attempts in the simulator's truth log. */
export async function attemptsAt(simulatorUrl: string): Promise<readonly LoggedAttempt[]> {
  const log = await fetch(`${simulatorUrl}/sim/log?limit=10000`);
  return ((await log.json()) as { entries: LoggedAttempt[] }).entries;
}

/** How often faults were triggered since they were last ended. */
export async function faultHits(simulatorUrl: string): Promise<number> {
  const { rules } = (await (await fetch(`${simulatorUrl}/sim/faults`)).json()) as { rules: { hits: number }[] };
  return rules.reduce((sum, { hits }) => sum + hits, 0);
}
