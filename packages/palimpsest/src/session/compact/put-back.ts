import type { AttachmentPayload } from "../../log/payload.ts";
import type { Evidence } from "../../stages/compact/evidence/evidence-state.ts";
import { type PlannedFile, planFiles } from "../../stages/compact/rehydrate/plan-files.ts";
import { rankFiles } from "../../stages/compact/rehydrate/rank-files.ts";
import type { RoomPart } from "../../stages/compact/share-room.ts";
import { shortenText } from "../../stages/compact/summary/shorten-text.ts";
import { attachment } from "../messages.ts";
import type { NamedText, Surroundings } from "./surroundings.ts";

export interface PutBackOptions {
  readonly surroundings: Surroundings;
  readonly evidence: Evidence;
  /** Words of the newest messages: files that they name are being worked on. */
  readonly newestTexts: readonly string[];
  /** Files that the model still sees. */
  readonly shownFiles: ReadonlySet<string>;
  readonly room: Readonly<Record<RoomPart, number>>;
  readonly fileTokens: number;
  readonly skillTokens: number;
  readonly countTokens: (text: string) => number;
}

export interface PutBack {
  readonly attachments: readonly AttachmentPayload[];
  readonly files: { readonly putBack: number; readonly skipped: number; readonly failed: number };
}

/** Of the ranked files, so many are read: most of them are small, and some are gone. */
const READ_FILES = 40;

/** What the model gets to see again after a compaction, each within its limits. Asked for all at once. */
export async function putBack(options: PutBackOptions): Promise<PutBack> {
  const { surroundings, room, countTokens } = options;
  const [files, skills, ...others] = await Promise.all([
    readFiles(options),
    asked(surroundings.skills),
    ...OTHERS.map(([name]) => asked(surroundings[name])),
  ]);
  let left = room.surroundings;
  const texts = OTHERS.flatMap(([, type, heading], index) => {
    const text = others[index];
    if (text === undefined || text.trim() === "") return [];
    const whole = `${heading}\n${text}`;
    const tokens = countTokens(whole);
    if (tokens > left) return [];
    left -= tokens;
    return [attachment(type, whole)];
  });
  const attachments = [...files.planned.map(toAttachment), ...skillTexts(skills ?? [], options), ...texts];
  const { planned, failed, ranked } = files;
  return { attachments, files: { putBack: planned.length, skipped: ranked - failed - planned.length, failed } };
}

/** By field, the type of the attachment and what it says first. */
const OTHERS = [
  ["plan", "plan", "The plan, as it stands:"],
  ["planMode", "plan-mode", "The plan is still being made:"],
  ["tools", "tools", "Tools, as they were announced:"],
  ["toolInstructions", "tool-instructions", "How these tools are to be used:"],
] as const;

async function readFiles({ surroundings, evidence, newestTexts, shownFiles, ...limits }: PutBackOptions) {
  const { readFile } = surroundings;
  const { room, fileTokens: perFileTokens, countTokens } = limits;
  const ranked =
    readFile === undefined
      ? []
      : rankFiles(evidence, { newestTexts })
          .filter(({ path }) => !shownFiles.has(path))
          .slice(0, READ_FILES);
  const contents = new Map<string, string>();
  await Promise.all(
    ranked.map(async ({ path }) => {
      const content = await asked(() => readFile!(path));
      if (content !== undefined) contents.set(path, content);
    }),
  );
  const planned = planFiles(ranked, contents, { countTokens, perFileTokens, totalTokens: room.files });
  return { planned, failed: ranked.length - contents.size, ranked: ranked.length };
}

function toAttachment({ path, parts, extent }: PlannedFile): AttachmentPayload {
  const texts = parts.map(({ lines: [first, last], text }) =>
    extent === "whole" ? text : `[lines ${first} to ${last}]\n${text}`,
  );
  const what = extent === "whole" ? "as it is now" : "the parts that were worked on, as they are now";
  return attachment("file", `${path}, ${what}:\n${texts.join("\n")}`);
}

function skillTexts(skills: readonly NamedText[], { room, skillTokens, countTokens }: PutBackOptions) {
  let left = room.skills;
  return skills.flatMap(({ name, text }) => {
    const share = Math.min(1, skillTokens / Math.max(1, countTokens(text)));
    const cut = shortenText(
      text,
      Math.floor(text.length * share),
      (more) => `[${more} characters more: use the skill again]`,
    );
    const tokens = countTokens(cut);
    if (tokens > left) return [];
    left -= tokens;
    return [attachment("skill", `Skill ${name}:\n${cut}`)];
  });
}

/** What the host answers; a host that fails is no reason to fail. */
async function asked<Value>(ask: (() => Promise<Value | undefined>) | undefined): Promise<Value | undefined> {
  try {
    return await ask?.();
  } catch {
    return undefined;
  }
}
