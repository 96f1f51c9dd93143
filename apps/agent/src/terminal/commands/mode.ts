import type { PermissionMode } from "../../permissions/decide-permission.ts";
import { MODES } from "../../permissions/settings-schema.ts";
import type { ScreenCommand } from "./screen-command.ts";

/** `bypass` is left out: it must be set on purpose in the settings or on the command line, not by a slip of the finger. */
export const OFFERED_MODES: readonly PermissionMode[] = ["auto", "default", "accept-edits", "plan"];

export const mode: ScreenCommand = {
  name: "mode",
  takes: "[WORD]",
  about: "choose what the agent may do without asking (shift-tab switches)",
  when: "always",
  async open({ words, agent, ask, say }) {
    const wanted = OFFERED_MODES.find((one) => one === words) ?? (await choose());
    if (wanted === undefined) return;
    agent.setMode(wanted);
    say(`Mode ${wanted}: ${MODES[wanted]}.`);

    async function choose(): Promise<PermissionMode | undefined> {
      // A row has room for the first part. The whole text comes when the mode is chosen.
      const options = OFFERED_MODES.map((one) => ({ value: one, label: one, about: MODES[one].split(";")[0]! }));
      const answer = await ask({ title: "Choose a mode", body: [], options });
      return OFFERED_MODES.find((one) => answer.kind === "chosen" && answer.values[0] === one);
    }
  },
};
