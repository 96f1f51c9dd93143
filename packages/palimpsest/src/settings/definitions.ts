// Every setting with its schema, description and default, and the profiles. docs/defaults.md and the JSON schema of the settings file are
// generated from this file.

import { choice, text } from "../schema/schema.ts";
import {
  count,
  onOff,
  type Profile,
  percent,
  type Setting,
  type SettingName,
  type Settings,
  setting,
} from "./settings.ts";

/** Every setting. No other file defines a default. `DEFAULT_POLICY_SETTINGS` names those that only the default policy uses. */
export const SETTINGS: { readonly [Name in SettingName]: Setting<Settings[Name]> } = {
  profile: setting(
    "balanced",
    choice(
      ["quality", "balanced", "economy"],
      "The numbers of the default policy. `quality` keeps more detail, `economy` spends least.",
    ),
  ),
  compaction: setting(
    "auto",
    choice(
      ["auto", "ask", "off"],
      "Whether the session may compact by itself. `ask`: the user is asked first. If nobody can be asked, the session emits an event and continues until the window is full; then `prepare` fails. `off`: only compactions that the user asks for. With `off`, a request that the provider refuses as too long is not compacted either.",
    ),
  ),
  compactAt: setting(
    100,
    percent(
      "Compact at this percentage of the usable window, if that is below the size at which the profile compacts.",
    ),
  ),
  summaryModel: setting(
    "",
    text(
      "The model that writes summaries. Empty: the session's own model, which reads the conversation from the prompt cache. Another model cannot.",
    ),
  ),
  notes: setting(
    "off",
    onOff(
      "Keep notes about the session while it runs. A compaction then does not wait for a summary, and costs a little more.",
    ),
  ),
  keepWarm: setting(
    "off",
    onOff(
      "Send the newest request again during pauses, without asking for an answer, while that costs less than it probably saves: at most 11 times while a tool runs, twice while the user is away, and for $0.50 in one pause. The provider keeps the prompt in its cache, and `balanced` compacts later. The terminal and editors turn it on.",
    ),
  ),
  compactTool: setting(
    "off",
    onOff(
      "Give the model a tool with which it proposes a compaction when a piece of work is finished. The session compacts then if that saves money. A host other than the agent offers the tool itself: `compactTool(session)`.",
    ),
  ),
  "window.tokens": setting(
    200_000,
    count(
      "The context window of a model whose window is unknown: neither its name, the model table, the provider nor a beta header tells it.",
      4_000,
    ),
  ),
  "memory.extraction": setting(
    "on",
    onOff("After each turn, look for facts worth remembering, if the host has a memory. `off`: make no such call."),
  ),
  "memory.recall": setting(
    "on",
    onOff("Attach memory topics that match the user's message, if the host has a memory."),
  ),
  "dream.enabled": setting("on", onOff("Tidy up the memory in the background after a turn, if the host has a memory.")),
  "agents.enabled": setting(
    "on",
    onOff(
      "Whether a session may start agents. `off`: new sessions have no tool for it, and other sessions refuse the call.",
    ),
  ),
  "agents.running": setting(100, count("How many agents of one session run at a time. Further agents wait.", 1)),
  "agents.tokens": setting(2_000_000, count("Tokens that one agent may use per run, not counting cache reads.", 1)),
  "agents.wakeOnMail": setting(
    "off",
    onOff(
      "Whether mail of another session starts a turn in a session that waits for the user. `off`: the mail is shown, and the model reads it with the next request.",
    ),
  ),
  "toolResults.keptDays": setting(
    30,
    count(
      "The agent removes stored results of sessions that were not used for this many days. Open sessions keep theirs.",
      1,
    ),
  ),
  "toolResults.keptMegabytes": setting(
    10_000,
    count(
      "If all stored results together are larger than this, the agent removes those of the least recently used sessions.",
      1,
    ),
  ),
  "tools.deferAboveTokens": setting(
    10_000,
    count(
      "Tools that may be deferred (those of MCP servers, in the agent) stay out of the prompt if all of them together have more tokens than this, or than a tenth of the window: the model sees their names, and loads what it needs with `tool_search`. 0: always.",
    ),
  ),
};

/** The profiles of the default policy. `presets/coding.ts` has their numbers. */
export const PROFILES: Readonly<Record<Profile, { readonly about: string }>> = {
  quality: {
    about:
      "Keeps as much detail as the window holds. Compacts when the window is nearly full; in windows above 300,000 tokens from " +
      "250,000 on, where that saves money. Clears old tool results only when the prompt cache has expired.",
  },
  balanced: {
    about:
      "Compacts where that saves money: from 130,000 tokens on, and within a turn from 167,000 on, if pings keep the prompt in the " +
      "cache; otherwise from 100,000 and 150,000.",
  },
  economy: {
    about: "Spends least. Compacts from 100,000 tokens on where that saves money, and within a turn from 150,000 on.",
  },
};
