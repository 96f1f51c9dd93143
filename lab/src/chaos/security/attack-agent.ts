import { type AttackWorld, type Family, type FamilyResult, runFamily } from "./attack.ts";
import { createLoader } from "./load-without.ts";

export interface AttackOptions {
  /** Of each family; all if it has fewer. */
  readonly atMost: number;
  /** Only the families whose names contain this text. @default all */
  readonly only?: string;
  readonly say: (text: string) => void;
}

export interface AttackedFamily extends FamilyResult {
  readonly guard: string;
  readonly seconds: number;
}

export interface AttackedAgent {
  readonly families: Readonly<Record<string, AttackedFamily>>;
}

/** Loaded once the loader is there to see who imports whom. */
// biome-ignore lint/suspicious/noExplicitAny: worlds of families have nothing in common
const MODULES: readonly (() => Promise<Readonly<Record<string, Family<any>>>>)[] = [
  () => import("./path-attacks.ts"),
  () => import("./link-attacks.ts"),
  () => import("./race-attacks.ts"),
  () => import("./terminal-attacks.ts"),
  () => import("./hook-attacks.ts"),
  () => import("./settings-attacks.ts"),
  () => import("./mode-attacks.ts"),
  () => import("./sandbox-attacks.ts"),
  () => import("./exchange-attacks.ts"),
  () => import("./git-attacks.ts"),
  () => import("./planted-program-attacks.ts"),
  () => import("./protected-attacks.ts"),
  () => import("./socket-attacks.ts"),
  () => import("./secret-attacks.ts"),
  () => import("./rule-attacks.ts"),
  () => import("./freeze-attacks.ts"),
  () => import("./fetch-attacks.ts"),
  () => import("./consent-attacks.ts"),
  () => import("./disguise-attacks.ts"),
  () => import("./voice-attacks.ts"),
  () => import("./memory-attacks.ts"),
  () => import("./control-attacks.ts"),
  () => import("./place-attacks.ts"),
  () => import("./proxy-attacks.ts"),
  () => import("./denied-read-attacks.ts"),
  () => import("./fail-open-attacks.ts"),
  () => import("./hidden-text-attacks.ts"),
  () => import("./hostile-settings-attacks.ts"),
  () => import("./script-attacks.ts"),
  () => import("./enclosed-program-attacks.ts"),
];

/** Attacks the agent in every way we know; canaries tell what got out. To be called once in a process. */
export async function attackAgent(options: AttackOptions): Promise<AttackedAgent> {
  const { atMost, only = "", say } = options;
  const loader = createLoader();
  const families: Record<string, AttackedFamily> = {};
  for (const open of MODULES) {
    for (const family of Object.values(await open())) {
      if (!family.name.includes(only)) continue;
      say(`attacking by ${family.name} ...`);
      const startedAt = performance.now();
      const bare = Object.values(await loader.load(family.from, family.guard)).find(isNamed(family.name))!;
      const result = await runFamily(family, bare, atMost);
      const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
      const { cases, escapes, harmless, reportedOnly } = result;
      say(
        `  attacked by ${family.name}: ${cases} cases, ${escapes.length} escapes, ${harmless.length} harmless, ` +
          `${reportedOnly.length} reported, ${seconds} s`,
      );
      families[family.name] = Object.assign({ guard: family.guard, seconds }, result);
      for (const line of result.escapes) say(`  ESCAPED ${line}`);
      for (const line of result.harmless) say(`  harmless ${line}`);
    }
  }
  return { families };
}

function isNamed(name: string): (value: unknown) => value is Family<AttackWorld> {
  return (value): value is Family<AttackWorld> =>
    typeof value === "object" && value !== null && "name" in value && value.name === name;
}
