import { relative } from "node:path";
import { fitsPath } from "../../permissions/glob.ts";
import { hiddenPatterns } from "../../permissions/session-sandbox.ts";
import { plain } from "../../text/line.ts";
import { createPathGuard, isInside } from "../../workspace/path-guard.ts";
import { type AttachRules, attachFiles, pastedContent } from "../prompt/attach-files.ts";
import { type Paste, separatePastes, withPastes } from "../prompt/pastes.ts";
import type { UserMessage } from "../screen-event.ts";
import type { HandlerPorts, Running } from "./handler-ports.ts";

/** All pastes that words in the prompt can stand for. */
export function knownPastes({ state }: Pick<HandlerPorts, "state">): readonly Paste[] {
  const { pastes, earlierPastes } = state();
  return [...pastes, ...earlierPastes];
}

/** Makes a message of what the user entered: the typed text with the files that it names, then each paste as text from outside. */
export async function readMessage(
  { agent }: Running,
  text: string,
  pastes: readonly Paste[],
  ports: HandlerPorts,
): Promise<UserMessage> {
  const separated = separatePastes(text, pastes);
  const { content, problems } = await attachFiles(separated.text, await attachRules(agent.settings.settings, ports));
  for (const problem of problems) ports.say(problem, { color: "warning" });
  return { text, shown: withPastes(text, pastes), content: [...content, ...separated.pasted.map(pastedContent)] };
}

/** Typed names attach files of the project that no rule hides. Outside of the project, the user is asked. */
async function attachRules(
  { rules, folders }: Running["agent"]["settings"]["settings"],
  { project, dialogs }: HandlerPorts,
): Promise<AttachRules> {
  const guard = await createPathGuard(project.folder, folders);
  const folder = guard.roots[0]!;
  const hidden = hiddenPatterns(rules, { folder, home: project.places.home });
  const nameOf = (path: string): string => (isInside(path, folder) ? relative(folder, path) : path);
  return {
    guard,
    isHidden: (path) => hidden.some((pattern) => fitsPath(pattern, nameOf(path))),
    async askOutside(path) {
      const answer = await dialogs.ask({
        title: `Attach ${path}?`,
        body: [plain("The file is outside of the project. The model and its provider will see its content.")],
        options: [
          { value: "yes", label: "Yes, attach it" },
          { value: "no", label: "No" },
        ],
      });
      return answer.kind === "chosen" && answer.values[0] === "yes";
    },
  };
}
