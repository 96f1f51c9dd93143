/** What a setting may be: one of some words, a whole number within bounds, a share, an amount of money, or names with a value each. */
export type SettingKind =
  | { readonly kind: "choice"; readonly of: readonly string[] }
  | { readonly kind: "count"; readonly atLeast: number }
  | { readonly kind: "percent" }
  | { readonly kind: "text" }
  | { readonly kind: "amount" }
  | { readonly kind: "names" }
  | { readonly kind: "counts-by-name" };

export interface SettingDefinition<Value> {
  readonly default: Value;
  readonly about: string;
  readonly is: SettingKind;
}

type Switch = "on" | "off";
export type Profile = "quality" | "balanced" | "economy";

/** All settings, as they hold for one turn. What each is for stands in `SETTINGS`. */
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
  readonly "compaction.leastShrinkPercent": number;
  readonly "compaction.summaryTokens": number;
  readonly "compaction.userMessageTokens": number;
  readonly "compaction.evidenceTokens": number;
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
  readonly "notes.keepMostTokens": number;
  readonly "memory.extraction": Switch;
  readonly "memory.extractionRounds": number;
  readonly "memory.extractionSeconds": number;
  readonly "memory.extractionTokens": number;
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
  readonly "clearing.leastTokens": number;
  readonly "clearing.workingSetCalls": number;
  readonly "clearing.fixedKeepNewest": number;
  readonly "clearing.fixedTargetTokens": number;
  readonly "clearing.fixedLeastTokens": number;
  readonly "clearing.providerTriggerTokens": number;
  readonly "clearing.providerLeastTokens": number;
  readonly "clearing.providerInputTools": readonly string[];
  readonly "clearing.providerIdleMinutes": number;
  readonly "clearing.cacheEditResults": number;
  readonly "clearing.cacheEditKeepNewest": number;
  readonly "cache.ttl": "auto" | "5m" | "1h";
  readonly "keepWarm.enabled": Switch;
  readonly "keepWarm.whileToolRuns": number;
  readonly "keepWarm.whileWaiting": number;
  readonly "keepWarm.capUsd": number;
}

export type SettingName = keyof Settings;

const choice = <const Word extends string>(
  of: readonly Word[],
  standard: NoInfer<Word>,
  about: string,
): SettingDefinition<Word> => ({ default: standard, about, is: { kind: "choice", of } });
const count = (standard: number, about: string, atLeast = 0): SettingDefinition<number> => ({
  default: standard,
  about,
  is: { kind: "count", atLeast },
});
const onOff = (standard: Switch, about: string): SettingDefinition<Switch> => choice(["on", "off"], standard, about);

/** Every setting there is, with its default. The only place where a default stands; docs/defaults.md is written from it. */
export const SETTINGS: { readonly [Name in SettingName]: SettingDefinition<Settings[Name]> } = {
  profile: choice(
    ["quality", "balanced", "economy"],
    "balanced",
    "Values for other settings, for those that nothing else sets. `quality`: keep detail. `economy`: spend least.",
  ),
  "window.tokens": count(
    200_000,
    "The window of a model that neither its name nor the table, the provider or a beta tells.",
    4_000,
  ),
  "compaction.enabled": onOff("on", "Any compaction, also one that is asked for."),
  "compaction.auto": choice(
    ["on", "ask", "off"],
    "on",
    "Compaction when it is due. `ask`: only after a yes. Where nobody can be asked, an event tells it, and requests are made until the window is full; then `prepare` fails. A request that the provider refuses as too long is compacted even so. `off` stops that, too.",
  ),
  "compaction.autoPercent": {
    default: 100,
    about: "Compact at this percentage of the effective window, if that is earlier than the default threshold.",
    is: { kind: "percent" },
  },
  "compaction.policy": choice(
    ["economic", "window"],
    "economic",
    "`window`: when the window is nearly full. `economic`: also when it earns back its cost, between turns first of all.",
  ),
  "compaction.economicFromTokens": count(100_000, "`economic`: not below this size, whatever it would save."),
  "compaction.economicInTurnFromTokens": count(
    150_000,
    "`economic`: while the model is at work, not below this size: some of what it works with would be gone.",
  ),
  "compaction.economicAboveWindowTokens": count(
    0,
    "`economic`: only in windows of more tokens than this; in smaller ones only when the window is nearly full.",
  ),
  "compaction.horizonRequests": count(60, "`economic`: within how many requests it has to earn back its cost.", 1),
  "compaction.reactive": onOff("on", "Compaction when the provider refuses a request as too long."),
  "compaction.notes": onOff("on", "The session's notes stand in for a summary where they can."),
  "compaction.byProvider": onOff(
    "off",
    "The provider is asked to fold the conversation itself, where it can: its block then stands first in every request.",
  ),
  "compaction.model": {
    default: "",
    about: "The model that writes summaries, if another than the session's: then the cached prompt is not shared.",
    is: { kind: "text" },
  },
  "compaction.maxCalls": count(8, "Calls that may be made to compact between two messages of the user."),
  "compaction.maxPasses": count(6, "In so many parts a history is summarised that is too long for one call.", 1),
  "compaction.stallSeconds": count(60, "A call of which nothing is heard for so long is given up.", 1),
  "compaction.deadlineSeconds": count(
    600,
    "After so long no model is asked any more, however much it says, and the compaction does without.",
    1,
  ),
  "compaction.leastShrinkPercent": {
    default: 20,
    about: "A compaction that does not make the view smaller by this share is not installed.",
    is: { kind: "percent" },
  },
  "compaction.summaryTokens": count(20_000, "The most that a summary may have.", 500),
  "compaction.userMessageTokens": count(20_000, "The most that the user's messages, word for word, may have."),
  "compaction.evidenceTokens": count(8_000, "The most that the evidence ledger may have."),
  "rehydration.files": onOff("on", "Files that were being worked on are shown again after a compaction."),
  "rehydration.fileTokens": count(5_000, "The most that is shown of one file."),
  "rehydration.filesTokens": count(50_000, "The most that is shown of all files."),
  "rehydration.skillTokens": count(5_000, "The most that is shown of one skill."),
  "rehydration.skillsTokens": count(25_000, "The most that is shown of all skills."),
  "notes.enabled": onOff(
    "off",
    "Notes about the session are kept all along: a compaction need not wait for a summary, and costs a little more.",
  ),
  "notes.policy": choice(
    ["paying", "fixed"],
    "paying",
    "`paying`: when an update saves more than it costs. `fixed`: by growth and tool calls.",
  ),
  "notes.sectionTokens": count(2_000, "A section over this is condensed, and cut to it in a summary.", 100),
  "notes.totalTokens": count(12_000, "Notes over this are shortened hard.", 500),
  "notes.beforeColdPercent": {
    default: 20,
    about: "`paying`: an update when so much of the cache's time to live is left.",
    is: { kind: "percent" },
  },
  "notes.nearTokens": count(10_000, "`paying`: an update so many tokens before a compaction."),
  "notes.fixedFirstTokens": count(10_000, "`fixed`: the first update at this size of the conversation."),
  "notes.fixedGrowthTokens": count(5_000, "`fixed`: the next ones each time that so much has come."),
  "notes.fixedToolCalls": count(3, "`fixed`: and so many calls were made since the last, unless the turn has ended."),
  "notes.keepTokens": count(10_000, "A compaction by notes keeps so much of the newest messages at least."),
  "notes.keepTextMessages": count(5, "A compaction by notes keeps so many messages with words at least."),
  "notes.keepMostTokens": count(
    40_000,
    "A compaction by notes keeps no more than this beyond what the notes do not cover yet, which is always kept.",
  ),
  "toolResults.storing": onOff("on", "Oversized results go to a file, and a preview takes their place."),
  "toolResults.thresholdCharacters": count(
    50_000,
    "A result longer than this is stored, unless its tool says that its results are bounded.",
    1_000,
  ),
  "toolResults.aggregateCharacters": count(
    200_000,
    "Results of one round that are longer than this together are stored, the largest first, until the rest fits.",
    1_000,
  ),
  "toolResults.thresholdByTool": {
    default: {},
    about:
      "Thresholds of single tools, by name. A number here also holds for a tool that says its results are bounded.",
    is: { kind: "counts-by-name" },
  },
  "toolResults.userMessageCharacters": count(100_000, "A message of the user longer than this is stored too.", 1_000),
  "toolResults.keptDays": count(
    30,
    "The agent removes the stored results of sessions that were not used for so many days. Open sessions keep theirs.",
    1,
  ),
  "toolResults.keptMegabytes": count(
    10_000,
    "If all stored results take more than this, the agent removes those of the sessions that were used longest ago.",
    1,
  ),
  "clearing.enabled": onOff("on", "Stale tool results are cleared before a request."),
  "clearing.policy": choice(
    ["payback", "fixed"],
    "payback",
    "`payback`: when it earns back what it costs the prompt cache. `fixed`: by age and size alone.",
  ),
  "clearing.byTime": onOff("on", "Clearing when the prompt cache is cold anyway."),
  "clearing.bySize": onOff("off", "Clearing while the prompt cache is warm."),
  "clearing.byProvider": choice(
    ["auto", "on", "off"],
    "auto",
    "Clearing by the provider, where it can; nothing is cleared here then. `auto`: for models that bind their thinking to the exact conversation.",
  ),
  "clearing.byCacheEdit": onOff(
    "off",
    "Deleting from the provider's cached prompt while it is warm, where the provider can; no public API can today.",
  ),
  "clearing.keepTools": {
    default: [],
    about:
      'Tools whose results are never cleared, whatever the tool says of itself. Other results are cleared unless the tool keeps them (`results: "kept"`) or has side effects.',
    is: { kind: "names" },
  },
  "clearing.keepNewest": count(
    8,
    "`payback`, and by the provider: so many of the newest results are never cleared.",
    1,
  ),
  "clearing.paybackRequests": count(20, "`payback`: within how many requests a clearing has to earn back its cost.", 1),
  "clearing.leastTokens": count(10_000, "`payback`: a clearing that sheds less is not worth breaking a warm cache."),
  "clearing.workingSetCalls": count(20, "`payback`: reads of files that the last so many calls edited stay.", 0),
  "clearing.fixedKeepNewest": count(5, "`fixed`, by time: so many of the newest results stay.", 1),
  "clearing.fixedTargetTokens": count(
    40_000,
    "`fixed`, by size: clear the oldest until this many tokens of results remain.",
  ),
  "clearing.fixedLeastTokens": count(20_000, "`fixed`, by size: only if at least this much can be saved."),
  "clearing.providerTriggerTokens": count(
    180_000,
    "By the provider: only above this much input; less in proportion where the window warns earlier.",
    1,
  ),
  "clearing.providerLeastTokens": count(
    140_000,
    "By the provider: only if at least this much can be saved; less in the same proportion.",
  ),
  "clearing.providerInputTools": {
    default: ["Edit", "Write"],
    about: "By the provider: tools whose calls lose their input along with the result.",
    is: { kind: "names" },
  },
  "clearing.providerIdleMinutes": count(
    60,
    "By the provider: after such a pause only the last turn before it keeps its thinking.",
    1,
  ),
  "clearing.cacheEditResults": count(12, "By cache edit: only if so many results could be deleted or kept.", 1),
  "clearing.cacheEditKeepNewest": count(5, "By cache edit: so many of the newest results stay.", 1),
  "memory.extraction": onOff(
    "on",
    "Where the host has set it up, each turn is looked through for what is worth remembering. `off`: no call is made for it.",
  ),
  "memory.extractionRounds": count(
    5,
    "So many responses at most in one extraction: first it reads, then it writes.",
    1,
  ),
  "memory.extractionSeconds": count(120, "An extraction that takes longer is given up.", 1),
  "memory.extractionTokens": count(
    100_000,
    "Of one session: tokens that its extractions may use, those read from the cache aside.",
  ),
  "memory.recall": onOff("on", "Where the host has set it up, topics that fit what the user says are attached to it."),
  "memory.recallModel": {
    default: "",
    about:
      "A small model that has the last word on which topics are attached; it sees their descriptions and what the user says.",
    is: { kind: "text" },
  },
  "memory.dailyTokens": count(
    1_000_000,
    "Of all sessions of a home together: tokens that extractions may use in a day, those read from the cache aside.",
  ),
  "dream.enabled": onOff(
    "on",
    "Where the host has set it up, memory is gone over in the background when a turn has ended.",
  ),
  "dream.hours": count(
    24,
    "So long after the last time at the earliest, also if that run failed or waits for a yes. After three failures in a row, seven times as long.",
  ),
  "dream.scanMinutes": count(10, "Whether there is enough to go over is looked at so often at most."),
  "dream.sessions": count(5, "Only if so many other sessions were used since the last time."),
  "dream.rounds": count(40, "So many responses at most in one run.", 1),
  "dream.guardPercent": {
    default: 30,
    about: "A run that would take away or rewrite more of the topics than this waits for the user's yes.",
    is: { kind: "percent" },
  },
  "agents.enabled": onOff(
    "on",
    "Whether a session may start agents. `off`: a new session's model has no tool for it, and where it has one it is refused.",
  ),
  "agents.running": count(100, "So many agents of one session run at a time; others wait for their turn.", 1),
  "agents.rounds": count(200, "So many responses at most of one agent each time that it runs.", 1),
  "agents.tokens": count(
    2_000_000,
    "Tokens that one agent may use each time that it runs, those read from the cache aside.",
    1,
  ),
  "agents.resultCharacters": count(
    20_000,
    "What one agent in the background reports, as the model is told of it; the rest can be read from its log.",
    1_000,
  ),
  "agents.resultsCharacters": count(
    60_000,
    "What several agents report at the same time shares this much, so that a burst of results does not fill the window.",
    1_000,
  ),
  "agents.waitSeconds": count(
    1_800,
    "So long a turn without a screen waits at its end for agents in the background; those that still run are stopped then, and can be woken.",
  ),
  "agents.summaries": onOff(
    "on",
    "Where somebody watches, each agent that runs is asked for a phrase of what it is doing, on its own cached prompt.",
  ),
  "agents.summarySeconds": count(30, "So often at most, and only after it has done something new.", 1),
  "cache.ttl": choice(
    ["auto", "5m", "1h"],
    "auto",
    "How long the provider keeps the prompt, where that can be chosen. `auto`: by the pauses of the session and the prices.",
  ),
  "keepWarm.enabled": onOff(
    "off",
    "Pings keep the prompt in the cache while a tool runs and while the user is waited for. They spend money; each one is told with its price.",
  ),
  "keepWarm.whileToolRuns": count(11, "So many pings at most while a tool runs."),
  "keepWarm.whileWaiting": count(2, "So many pings at most while the user is waited for."),
  "keepWarm.capUsd": {
    default: 0.5,
    about: "The pings of one pause cost at most this many US dollars. Without known prices none is sent.",
    is: { kind: "amount" },
  },
};
