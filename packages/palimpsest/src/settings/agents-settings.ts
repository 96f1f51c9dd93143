import { count, onOff } from "./define-setting.ts";
import type { SettingDefinition } from "./setting-kind.ts";
import type { SettingName, Settings } from "./settings.ts";

type AgentsSetting = Extract<SettingName, `agents.${string}`>;

/** The settings of agents beside a session, and of the mail between sessions: a part of `SETTINGS`. */
export const AGENTS_SETTINGS: { readonly [Name in AgentsSetting]: SettingDefinition<Settings[Name]> } = {
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
