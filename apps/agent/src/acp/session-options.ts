import type { SessionConfigOption, SessionModeState } from "@agentclientprotocol/sdk";
import type { Agent } from "../agent/agent.ts";
import type { EffortChoice } from "../agent/session-effort.ts";
import type { PermissionMode } from "../permissions/decide-permission.ts";
import { MODES } from "../permissions/settings-schema.ts";
import { EFFORT_CHOICES, EFFORTS_IN_WORDS, OFFERED_MODES } from "../terminal/commands/model.ts";

export interface SessionChoices {
  readonly modes: SessionModeState;
  readonly configOptions: SessionConfigOption[];
}

interface OfferedChoices {
  /** Models in addition to the session's model. */
  readonly models: readonly string[];
  /** Whether the session's model supports effort. */
  readonly effort: "taken" | "none";
}

/**
 * The user's choices in the editor: mode, model and effort. Some editors support only modes, and others only options.
 */
export function choicesOf(
  { mode, model, effort }: Pick<Agent, "mode" | "model" | "effort">,
  { models, effort: isEffort }: OfferedChoices,
): SessionChoices {
  const modes = modesOf(mode()).map((id) => ({ id, name: NAMES[id], description: MODES[id] }));
  const named = [...new Set([model(), ...models])];
  return {
    modes: { currentModeId: mode(), availableModes: modes },
    configOptions: [
      {
        id: "mode",
        name: "Mode",
        description: "What the agent may do without asking",
        category: "mode",
        type: "select",
        currentValue: mode(),
        options: modes.map(({ id, name, description }) => ({ value: id, name, description })),
      },
      {
        id: "model",
        name: "Model",
        description: "Switching it starts with an empty prompt cache",
        category: "model",
        type: "select",
        currentValue: model(),
        options: named.map((name) => ({ value: name, name })),
      },
      ...(isEffort === "taken" ? [effortOption(effort() ?? "default")] : []),
    ],
  };
}

const NAMES: Readonly<Record<PermissionMode, string>> = {
  auto: "Auto",
  default: "Ask first",
  "accept-edits": "Accept edits",
  plan: "Plan",
  bypass: "Never ask",
};

function effortOption(current: EffortChoice): SessionConfigOption {
  return {
    id: "effort",
    name: "Effort",
    description: "How much the model thinks. Another effort costs the cached conversation once",
    category: "thought_level",
    type: "select",
    currentValue: current,
    options: EFFORT_CHOICES.map((value) => ({ value, name: value, description: EFFORTS_IN_WORDS[value] })),
  };
}

/** The modes that can be chosen here. `bypass` is set deliberately, in the settings or on the command line. */
export function modesOf(current: PermissionMode): readonly PermissionMode[] {
  return current === "bypass" ? [...OFFERED_MODES, current] : OFFERED_MODES;
}
