// Every setting with its default and its description, and the profiles. docs/defaults.md is generated from this file.

import {
  choice,
  count,
  onOff,
  type Profile,
  type SettingDefinition,
  type SettingName,
  type Settings,
} from "./settings.ts";

type AgentsSetting = Extract<SettingName, `agents.${string}`>;

/** The part of `SETTINGS` for agents and for mail between sessions. It stands first because `SETTINGS` spreads it. */
const AGENTS_SETTINGS: { readonly [Name in AgentsSetting]: SettingDefinition<Settings[Name]> } = {
  "agents.enabled": onOff(
    "on",
    "Whether a session may start agents. `off`: new sessions have no tool for it, and other sessions refuse the call.",
  ),
  "agents.running": count(100, "How many agents of one session run at a time. Further agents wait.", 1),
  "agents.rounds": count(200, "The maximum number of responses of one agent per run.", 1),
  "agents.tokens": count(2_000_000, "Tokens that one agent may use per run, not counting cache reads.", 1),
  "agents.resultCharacters": count(
    20_000,
    "How much of a background agent's report the model sees. The rest is in the agent's log.",
    1_000,
  ),
  "agents.resultsCharacters": count(
    60_000,
    "How much of the reports that arrive together the model sees, so that many reports do not fill the window.",
    1_000,
  ),
  "agents.waitSeconds": count(
    1_800,
    "Without a screen, a turn waits this long at its end for background agents. Agents that still run are then stopped, and can be resumed.",
  ),
  "agents.wakeOnMail": onOff(
    "off",
    "Whether mail of another session starts a turn in a session that waits for the user. `off`: the mail is shown, and the model reads it with the next request.",
  ),
  "agents.summaries": onOff(
    "on",
    "While somebody watches, ask each running agent for a short phrase about what it is doing, on its own cached prompt.",
  ),
  "agents.summarySeconds": count(30, "Ask at most this often, and only after the agent has done something new.", 1),
};

/** Every setting with its default. No other file defines a default. */
export const SETTINGS: { readonly [Name in SettingName]: SettingDefinition<Settings[Name]> } = {
  profile: choice(
    ["quality", "balanced", "economy"],
    "balanced",
    "A set of values for other settings. It applies to settings that nothing else sets. `quality` keeps more detail, `economy` spends least.",
  ),
  "window.tokens": count(
    200_000,
    "The context window of a model whose window is unknown: neither its name, the model table, the provider nor a beta header tells it.",
    4_000,
  ),
  "compaction.enabled": onOff(
    "on",
    "Whether conversations are compacted at all. `off` also refuses a compaction that the user asks for.",
  ),
  "compaction.auto": choice(
    ["on", "ask", "off"],
    "on",
    "Automatic compaction. `ask`: ask the user first. If nobody can be asked, the session emits an event and continues until the window is full; then `prepare` fails. With `ask`, a request that the provider refuses as too long is still compacted; with `off` it is not.",
  ),
  "compaction.autoPercent": {
    default: 100,
    about: "Compact at this percentage of the effective window, if that is below the default threshold.",
    is: { kind: "percent" },
  },
  "compaction.policy": choice(
    ["economic", "window"],
    "economic",
    "`window`: compact when the window is nearly full. `economic`: compact earlier, too, when that saves more than it costs; usually between turns.",
  ),
  "compaction.economicFromTokens": count(100_000, "`economic`: do not compact below this size."),
  "compaction.economicInTurnFromTokens": count(
    150_000,
    "`economic`: during a turn, do not compact below this size, because the model would lose details it is working with.",
  ),
  "compaction.economicAboveWindowTokens": count(
    0,
    "`economic`: apply only to windows larger than this. In smaller windows, compact only when the window is nearly full.",
  ),
  "compaction.horizonRequests": count(60, "`economic`: a compaction must earn back its cost in so many requests.", 1),
  "compaction.reactive": onOff("on", "Compact and retry when the provider refuses a request as too long."),
  "compaction.notes": onOff("on", "Use the session's notes instead of a summary where possible."),
  "compaction.byProvider": onOff(
    "off",
    "Ask the provider to compact the conversation, where it can. Its block then comes first in every request.",
  ),
  "compaction.model": {
    default: "",
    about:
      "The model that writes summaries. Empty: the session's own model, which reads the conversation from the prompt cache. Another model cannot.",
    is: { kind: "text" },
  },
  "compaction.maxCalls": count(
    8,
    "The maximum number of model calls for compaction between two user messages. A summary that succeeds starts the count again.",
  ),
  "compaction.maxPasses": count(
    6,
    "A history that is too long for one call is summarized in at most this many parts.",
    1,
  ),
  "compaction.stallSeconds": count(
    60,
    "Give up a summary call that sends nothing for this many seconds. After two such calls, compact without a model's summary.",
    1,
  ),
  "compaction.deadlineSeconds": count(
    600,
    "After this many seconds, stop asking models and compact without a model's summary.",
    1,
  ),
  "compaction.minShrinkPercent": {
    default: 20,
    about: "Discard a compaction that shrinks the view by less than this.",
    is: { kind: "percent" },
  },
  "compaction.summaryTokens": count(20_000, "The maximum size of a summary.", 500),
  "compaction.userMessageTokens": count(20_000, "The maximum size of the user's messages that are kept word for word."),
  "compaction.evidenceTokens": count(
    8_000,
    "The maximum size of the evidence: files, commands, errors, names and numbers from the log.",
  ),
  "compaction.quotedLinesTokens": count(
    4_000,
    "The maximum size of lines that are quoted from the log: those that last showed the names and numbers most in use.",
  ),
  "rehydration.files": onOff("on", "Show the files in use again after a compaction."),
  "rehydration.fileTokens": count(8_000, "The maximum size of one file."),
  "rehydration.filesTokens": count(50_000, "The maximum size of all files together."),
  "rehydration.skillTokens": count(5_000, "The maximum size of one skill."),
  "rehydration.skillsTokens": count(25_000, "The maximum size of all skills together."),
  "notes.enabled": onOff(
    "off",
    "Keep notes about the session while it runs. A compaction then does not wait for a summary, and costs a little more.",
  ),
  "notes.policy": choice(
    ["paying", "fixed"],
    "paying",
    "When to update the notes. `paying`: when an update saves more than it costs. `fixed`: by growth and number of tool calls.",
  ),
  "notes.sectionTokens": count(2_000, "A longer section is condensed, and cut to this size in a summary.", 100),
  "notes.totalTokens": count(12_000, "Longer notes are shortened to this size.", 500),
  "notes.beforeColdPercent": {
    default: 20,
    about: "`paying`: update when this much of the cache's lifetime is left.",
    is: { kind: "percent" },
  },
  "notes.nearTokens": count(10_000, "`paying`: update this many tokens before a compaction."),
  "notes.fixedFirstTokens": count(10_000, "`fixed`: make the first update at this size of the conversation."),
  "notes.fixedGrowthTokens": count(5_000, "`fixed`: update again after this much growth."),
  "notes.fixedToolCalls": count(
    3,
    "`fixed`: update only after this many tool calls since the last update, unless the turn has ended.",
  ),
  "notes.keepTokens": count(10_000, "A compaction by notes keeps at least this much of the newest messages."),
  "notes.keepTextMessages": count(5, "A compaction by notes keeps at least this many messages that contain text."),
  "notes.keepMaxTokens": count(
    40_000,
    "A compaction by notes always keeps what the notes do not cover yet, and at most this much more.",
  ),
  "toolResults.storing": onOff("on", "Write oversized tool results to files and show a preview instead."),
  "toolResults.thresholdCharacters": count(
    50_000,
    "A longer result is stored, unless its tool declares bounded results.",
    1_000,
  ),
  "toolResults.aggregateCharacters": count(
    200_000,
    "If the results of one round are longer than this together, the largest are stored until the rest fits.",
    1_000,
  ),
  "toolResults.thresholdByTool": {
    default: {},
    about: "Thresholds by tool name. They also apply to tools that declare bounded results.",
    is: { kind: "counts-by-name" },
  },
  "toolResults.userMessageCharacters": count(100_000, "A longer user message is stored, too.", 1_000),
  "toolResults.keptDays": count(
    30,
    "The agent removes stored results of sessions that were not used for this many days. Open sessions keep theirs.",
    1,
  ),
  "toolResults.keptMegabytes": count(
    10_000,
    "If all stored results together are larger than this, the agent removes those of the least recently used sessions.",
    1,
  ),
  "clearing.enabled": onOff("on", "Replace old tool results by stubs before a request."),
  "clearing.policy": choice(
    ["payback", "fixed"],
    "payback",
    "`payback`: clear when that saves more than it costs in the prompt cache. `fixed`: clear by age and size only.",
  ),
  "clearing.byTime": onOff("on", "Clear when the prompt cache has expired anyway."),
  "clearing.bySize": onOff("off", "Clear while the prompt cache is in use."),
  "clearing.byProvider": choice(
    ["auto", "on", "off"],
    "auto",
    "Let the provider clear results, where it can, instead of clearing them here. `auto`: for models that bind their thinking to the exact conversation.",
  ),
  "clearing.byCacheEdit": onOff(
    "off",
    "Delete results from the provider's cached prompt. No public API offers this today.",
  ),
  "clearing.keepTools": {
    default: [],
    about:
      'Tools whose results are never cleared. Results of other tools are cleared unless the tool keeps them (`results: "kept"`) or has side effects.',
    is: { kind: "names" },
  },
  "clearing.keepNewest": count(8, "`payback`, and by the provider: never clear this many of the newest results.", 1),
  "clearing.paybackRequests": count(20, "`payback`: a clearing must earn back its cost within this many requests.", 1),
  "clearing.minTokens": count(
    10_000,
    "`payback`: while the cache is in use, clear only if that removes at least this much.",
  ),
  "clearing.fixedKeepNewest": count(5, "`fixed`, by time: keep this many of the newest results.", 1),
  "clearing.fixedTargetTokens": count(
    40_000,
    "`fixed`, by size: clear the oldest results until this much of them remains.",
  ),
  "clearing.fixedMinTokens": count(20_000, "`fixed`, by size: clear only if that removes at least this much."),
  "clearing.providerTriggerTokens": count(
    180_000,
    "By the provider: clear only above this much input; proportionally less in smaller windows.",
    1,
  ),
  "clearing.providerMinTokens": count(
    140_000,
    "By the provider: clear only if that removes at least this much; proportionally less in smaller windows.",
  ),
  "clearing.providerInputTools": {
    default: ["Edit", "Write"],
    about: "By the provider: tools whose input is cleared together with the result.",
    is: { kind: "names" },
  },
  "clearing.providerIdleMinutes": count(
    60,
    "By the provider: after an idle time this long, only the last turn keeps its thinking.",
    1,
  ),
  "clearing.cacheEditResults": count(12, "By cache edit: delete only if there are this many deletable results.", 1),
  "clearing.cacheEditKeepNewest": count(5, "By cache edit: keep this many of the newest results.", 1),
  "memory.extraction": onOff(
    "on",
    "After each turn, look for facts worth remembering, if the host has a memory. `off`: make no such call.",
  ),
  "memory.extractionRounds": count(5, "The maximum number of responses in one extraction.", 1),
  "memory.extractionSeconds": count(120, "Give up an extraction that takes longer than this.", 1),
  "memory.extractionTokens": count(
    100_000,
    "Tokens that the extractions of one session may use, not counting cache reads.",
  ),
  "memory.extractionPercent": {
    default: 3,
    about:
      "The share of a session's bill that its extractions may cost. Turns wait until the session has cost enough, and are then looked through together. 100: no limit.",
    is: { kind: "percent" },
  },
  "memory.recall": onOff("on", "Attach memory topics that match the user's message, if the host has a memory."),
  "memory.recallModel": {
    default: "",
    about:
      "A small model that chooses among the topics found. It sees their descriptions and the user's message. Empty: no model is asked.",
    is: { kind: "text" },
  },
  "memory.dailyTokens": count(
    1_000_000,
    "Tokens that the extractions of all sessions in one home directory may use per day, not counting cache reads.",
  ),
  "dream.enabled": onOff("on", "Tidy up the memory in the background after a turn, if the host has a memory."),
  "dream.hours": count(
    24,
    "Wait at least this long after the last run, even if that run failed or waits for approval. After three failures in a row, wait seven times as long.",
  ),
  "dream.scanMinutes": count(10, "Check at most this often whether a run is needed."),
  "dream.sessions": count(5, "Run only if this many other sessions were used since the last run."),
  "dream.rounds": count(40, "The maximum number of responses in one run.", 1),
  "dream.guardPercent": {
    default: 30,
    about: "A run that would remove or rewrite more of the topics than this waits for the user's approval.",
    is: { kind: "percent" },
  },
  ...AGENTS_SETTINGS,
  "tools.deferAboveTokens": count(
    10_000,
    "Tools that may be deferred (those of MCP servers, in the agent) stay out of the prompt if all of them together have more tokens than this, or than a tenth of the window: the model sees their names, and loads what it needs with `tool_search`. 0: always.",
  ),
  "cache.ttl": choice(
    ["5m", "1h"],
    "5m",
    "How long the provider caches the prompt, where the request can choose. Writing for an hour costs more.",
  ),
  "cache.headTtl": choice(
    ["auto", "same", "1h"],
    "auto",
    "How long the provider caches the system prompt and the tools, where the request can choose. `1h`: an hour, also where the messages are cached for five minutes. `auto`: an hour after pauses in this session for which it would have paid. `same`: like the messages.",
  ),
  "keepWarm.enabled": onOff(
    "off",
    "Send pings to keep the prompt in the cache while a tool runs and while the session waits for the user. Pings cost money; each one is reported with its price.",
  ),
  "keepWarm.whileToolRuns": count(11, "The maximum number of pings while a tool runs."),
  "keepWarm.whileWaiting": count(2, "The maximum number of pings while the session waits for the user."),
  "keepWarm.capUsd": {
    default: 0.5,
    about: "The maximum cost of the pings of one pause, in US dollars. If prices are unknown, no ping is sent.",
    is: { kind: "amount" },
  },
};

/** The defaults are `balanced`, so that profile changes nothing. */
export const PROFILES: Readonly<Record<Profile, ProfileDefinition>> = {
  quality: {
    about:
      "Keeps as much detail as the window holds. Compacts when the window is nearly full; in windows above 300,000 tokens from " +
      "250,000 on, where it saves money. Clears old tool results only when the prompt cache has expired.",
    values: {
      "compaction.economicAboveWindowTokens": 300_000,
      "compaction.economicFromTokens": 250_000,
      "compaction.economicInTurnFromTokens": 250_000,
      "clearing.byTime": "on",
      "clearing.bySize": "off",
    },
  },
  balanced: {
    about: "Compacts from 100,000 tokens on where it saves money, and within a turn from 150,000 on.",
    values: {},
  },
  economy: {
    about:
      "Spends least. Compacts from 60,000 tokens on where it saves money, and within a turn from 130,000 on: " +
      "the model reads files again more often.",
    values: {
      "compaction.economicFromTokens": 60_000,
      "compaction.economicInTurnFromTokens": 130_000,
      "compaction.quotedLinesTokens": 6_000,
    },
  },
};

/** A named set of values for other settings. The values are stronger than the defaults and weaker than every other source. */
interface ProfileDefinition {
  readonly about: string;
  readonly values: Partial<Settings>;
}

/** Returns the settings that a profile sets, with their values. */
export function profileValues(profile: Profile): Partial<Settings> {
  return PROFILES[profile].values;
}
