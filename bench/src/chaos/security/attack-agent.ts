import type { Attacked } from "./attempt.ts";
import { attackFetch } from "./fetch-attacks.ts";
import { attackHooks } from "./hook-attacks.ts";
import { attackLinks, raceLinks } from "./link-attacks.ts";
import { attackModes } from "./mode-attacks.ts";
import { attackPaths } from "./path-attacks.ts";
import { attackSandbox } from "./sandbox-attacks.ts";
import { attackSettings } from "./settings-attacks.ts";
import { attackTerminal } from "./terminal-attacks.ts";

export interface AttackedAgent {
  readonly groups: Readonly<Record<string, Attacked>>;
  readonly cases: number;
  readonly escapes: readonly string[];
  /** How often tools were used while links were exchanged under them. */
  readonly raceAttempts: number;
  /** Groups that could not be tried here, with the reason. */
  readonly skipped: Readonly<Record<string, string>>;
}

/** Attacks the tools of the agent in every way we know; canaries tell what got out. */
export async function attackAgent(raceMsPerTool: number, say: (text: string) => void): Promise<AttackedAgent> {
  const groups: Record<string, Attacked> = {};
  const attack = async <Result extends Attacked>(name: string, run: () => Promise<Result>): Promise<Result> => {
    say(`attacking by ${name} ...`);
    const result = await run();
    groups[name] = result;
    for (const line of result.escapes) say(`  ESCAPED ${line}`);
    return result;
  };
  await attack("paths", attackPaths);
  await attack("links", attackLinks);
  const { attempts } = await attack("races", () => raceLinks(raceMsPerTool));
  await attack("terminal", attackTerminal);
  await attack("hooks", attackHooks);
  await attack("settings", attackSettings);
  await attack("modes", attackModes);
  await attack("sandbox", attackSandbox);
  await attack("fetch", attackFetch);
  const all = Object.entries(groups);
  return {
    groups,
    cases: all.reduce((sum, [, { cases }]) => sum + cases, 0),
    escapes: all.flatMap(([name, { escapes }]) => escapes.map((line) => `${name}: ${line}`)),
    raceAttempts: attempts,
    skipped: Object.fromEntries(all.flatMap(([name, { skipped }]) => (skipped === undefined ? [] : [[name, skipped]]))),
  };
}
