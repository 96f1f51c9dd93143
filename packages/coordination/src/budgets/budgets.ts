import type { CoordinationFile } from "../coordination-file.ts";

/** Daily token budgets that all sessions of a coordination store share. */
export interface DailyTokens {
  leftTokens(): Promise<number>;
  spend(tokens: number): Promise<void>;
}

/** Daily budgets of tokens, shared by all processes, by name. */
export interface Budgets {
  /** @param name the purpose of the budget */
  daily(name: string, limitTokens: number): DailyTokens;
}

export interface BudgetsOptions {
  readonly file: CoordinationFile;
  readonly clock: { now(): number };
}

/** Days begin at midnight UTC: all processes agree on that, in any time zone. */
export function createBudgets({ file, clock }: BudgetsOptions): Budgets {
  const today = (): string => new Date(clock.now()).toISOString().slice(0, 10);
  return {
    daily: (name, limitTokens) => ({
      leftTokens: () =>
        file.read(({ statement }) => {
          const row = statement("SELECT tokens FROM spent WHERE name = ? AND day = ?").get(name, today());
          return limitTokens - Number(row?.["tokens"] ?? 0);
        }),
      spend: (tokens) =>
        file.write(({ statement }) => {
          statement(`INSERT INTO spent (name, day, tokens) VALUES (?, ?, ?)
ON CONFLICT (name, day) DO UPDATE SET tokens = tokens + excluded.tokens`).run(name, today(), tokens);
          statement("DELETE FROM spent WHERE name = ? AND day < ?").run(name, today());
        }),
    }),
  };
}
