import type { SessionConfigOption, SessionModeState } from "@agentclientprotocol/sdk";
import type { Agent } from "../agent/agent.ts";
import type { PermissionMode } from "../permissions/decide-permission.ts";
import { MODES } from "../permissions/settings-schema.ts";
import { OFFERED_MODES } from "../terminal/commands/mode.ts";

const NAMES: Readonly<Record<PermissionMode, string>> = {
  auto: "Auto",
  default: "Ask first",
  "accept-edits": "Accept edits",
  plan: "Plan",
  bypass: "Never ask",
};

export interface SessionChoices {
  readonly modes: SessionModeState;
  readonly configOptions: SessionConfigOption[];
}

/** What the user can choose in the editor: the mode and the model. Some editors know modes only, others options only. */
export function choicesOf({ mode, model }: Pick<Agent, "mode" | "model">, models: readonly string[]): SessionChoices {
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
    ],
  };
}

/** `bypass` cannot be chosen here: it is set on purpose, in the settings or on the command line. */
export function modesOf(current: PermissionMode): readonly PermissionMode[] {
  return current === "bypass" ? [...OFFERED_MODES, current] : OFFERED_MODES;
}
