// The names, types and kinds of the settings. `definitions.ts` has their defaults and descriptions.

/** All settings of one turn. `SETTINGS` describes each of them. */
export interface Settings {
  readonly profile: Profile;
  readonly "window.tokens": number;
  readonly "compaction.enabled": Switch;
  readonly "compaction.auto": "on" | "ask" | "off";
  readonly "compaction.autoPercent": number;
  readonly "compaction.policy": "economic" | "window";
  readonly "compaction.economicFromTokens": number;
  readonly "compaction.economicInTurnFromTokens": number;
  readonly "compaction.economicAboveWindowTokens": number;
  readonly "compaction.horizonRequests": number;
  readonly "compaction.reactive": Switch;
  readonly "compaction.notes": Switch;
  readonly "compaction.byProvider": Switch;
  readonly "compaction.model": string;
  readonly "compaction.maxCalls": number;
  readonly "compaction.maxPasses": number;
  readonly "compaction.stallSeconds": number;
  readonly "compaction.deadlineSeconds": number;
  readonly "compaction.minShrinkPercent": number;
  readonly "compaction.summaryTokens": number;
  readonly "compaction.userMessageTokens": number;
  readonly "compaction.evidenceTokens": number;
  readonly "compaction.quotedLinesTokens": number;
  readonly "rehydration.files": Switch;
  readonly "rehydration.fileTokens": number;
  readonly "rehydration.filesTokens": number;
  readonly "rehydration.skillTokens": number;
  readonly "rehydration.skillsTokens": number;
  readonly "notes.enabled": Switch;
  readonly "notes.policy": "paying" | "fixed";
  readonly "notes.sectionTokens": number;
  readonly "notes.totalTokens": number;
  readonly "notes.beforeColdPercent": number;
  readonly "notes.nearTokens": number;
  readonly "notes.fixedFirstTokens": number;
  readonly "notes.fixedGrowthTokens": number;
  readonly "notes.fixedToolCalls": number;
  readonly "notes.keepTokens": number;
  readonly "notes.keepTextMessages": number;
  readonly "notes.keepMaxTokens": number;
  readonly "memory.extraction": Switch;
  readonly "memory.extractionRounds": number;
  readonly "memory.extractionSeconds": number;
  readonly "memory.extractionTokens": number;
  readonly "memory.extractionPercent": number;
  readonly "memory.recall": Switch;
  readonly "memory.recallModel": string;
  readonly "memory.dailyTokens": number;
  readonly "dream.enabled": Switch;
  readonly "dream.hours": number;
  readonly "dream.scanMinutes": number;
  readonly "dream.sessions": number;
  readonly "dream.rounds": number;
  readonly "dream.guardPercent": number;
  readonly "agents.enabled": Switch;
  readonly "agents.running": number;
  readonly "agents.rounds": number;
  readonly "agents.tokens": number;
  readonly "agents.resultCharacters": number;
  readonly "agents.resultsCharacters": number;
  readonly "agents.waitSeconds": number;
  readonly "agents.wakeOnMail": Switch;
  readonly "agents.summaries": Switch;
  readonly "agents.summarySeconds": number;
  readonly "toolResults.storing": Switch;
  readonly "toolResults.thresholdCharacters": number;
  readonly "toolResults.aggregateCharacters": number;
  readonly "toolResults.thresholdByTool": Readonly<Record<string, number>>;
  readonly "toolResults.userMessageCharacters": number;
  readonly "toolResults.keptDays": number;
  readonly "toolResults.keptMegabytes": number;
  readonly "clearing.enabled": Switch;
  readonly "clearing.policy": "payback" | "fixed";
  readonly "clearing.byTime": Switch;
  readonly "clearing.bySize": Switch;
  readonly "clearing.byProvider": "auto" | Switch;
  readonly "clearing.byCacheEdit": Switch;
  readonly "clearing.keepTools": readonly string[];
  readonly "clearing.keepNewest": number;
  readonly "clearing.paybackRequests": number;
  readonly "clearing.minTokens": number;
  readonly "clearing.fixedKeepNewest": number;
  readonly "clearing.fixedTargetTokens": number;
  readonly "clearing.fixedMinTokens": number;
  readonly "clearing.providerTriggerTokens": number;
  readonly "clearing.providerMinTokens": number;
  readonly "clearing.providerInputTools": readonly string[];
  readonly "clearing.providerIdleMinutes": number;
  readonly "clearing.cacheEditResults": number;
  readonly "clearing.cacheEditKeepNewest": number;
  readonly "tools.deferAboveTokens": number;
  readonly "cache.ttl": "5m" | "1h";
  readonly "cache.headTtl": "auto" | "same" | "1h";
  readonly "keepWarm.enabled": Switch;
  readonly "keepWarm.whileToolRuns": number;
  readonly "keepWarm.whileWaiting": number;
  readonly "keepWarm.capUsd": number;
}

type Switch = "on" | "off";
/** A set of settings by name. */
export type Profile = "quality" | "balanced" | "economy";

/** The name of a setting. */
export type SettingName = keyof Settings;

/** The default of a setting, its description, and the kind of its values. */
export interface SettingDefinition<Value> {
  readonly default: Value;
  readonly about: string;
  readonly is: SettingKind;
}

/**
 * The kind of a setting's values: one of several words, a whole number with a minimum, a percentage, a text, US dollars, names, or
 * names with a number each.
 */
export type SettingKind =
  | { readonly kind: "choice"; readonly of: readonly string[] }
  | { readonly kind: "count"; readonly atLeast: number }
  | { readonly kind: "percent" }
  | { readonly kind: "text" }
  | { readonly kind: "amount" }
  | { readonly kind: "names" }
  | { readonly kind: "counts-by-name" };

/** Defines a setting with one of several words as its value. */
export const choice = <const Word extends string>(
  of: readonly Word[],
  standard: NoInfer<Word>,
  about: string,
): SettingDefinition<Word> => ({ default: standard, about, is: { kind: "choice", of } });

/** Defines a setting with a whole number as its value. */
export const count = (standard: number, about: string, atLeast = 0): SettingDefinition<number> => ({
  default: standard,
  about,
  is: { kind: "count", atLeast },
});

/** Defines a setting that is on or off. */
export const onOff = (standard: Switch, about: string): SettingDefinition<Switch> =>
  choice(["on", "off"], standard, about);

/** Parses the text of a variable or a command line into a value, without checking the value. */
export function settingFromText({ kind, ...rest }: SettingKind, text: string): unknown {
  if (kind === "count" || kind === "percent" || kind === "amount") return text.trim() === "" ? text : Number(text);
  if (kind === "names") return text.split(",").map((name) => name.trim());
  if (kind === "counts-by-name") {
    return Object.fromEntries(text.split(",").map((pair) => [pair.split("=")[0]!.trim(), Number(pair.split("=")[1])]));
  }
  const onOff = "of" in rest && rest.of.includes("on") ? toBoolean(text) : undefined;
  return onOff === undefined ? text : onOff ? "on" : "off";
}

function toBoolean(text: string): boolean | undefined {
  const word = text.trim().toLowerCase();
  if (["1", "true", "yes", "on"].includes(word)) return true;
  return ["0", "false", "no", "off"].includes(word) ? false : undefined;
}
