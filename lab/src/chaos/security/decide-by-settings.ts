import { createPathGuard, decidePermission, loadSettings, toPermissionCall } from "palimpsest-agent";

/** Decides about calls with a text in them, from the file of the settings to the decision. */
export async function decideBySettings(
  { folder, agentHome, text }: { readonly folder: string; readonly agentHome: string; readonly text: string },
  begin: () => void,
): Promise<void> {
  const guard = await createPathGuard(folder);
  const { settings } = await loadSettings({ guard, agentHome });
  const calls = [
    [{ name: "Bash", effect: "run", commands: "none" }, { command: text }],
    [{ name: "Read", effect: "read" }, { file_path: text }],
  ] as const;
  begin();
  for (const [tool, input] of calls) {
    decidePermission(settings.mode, settings.rules, await toPermissionCall(tool, input, { guard, home: folder }));
  }
}
