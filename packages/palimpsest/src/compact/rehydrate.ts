import { type Text, TOOL_SEARCH, type ToolCall } from "../log/block.ts";
import { attachment } from "../log/messages.ts";
import type { AttachmentPayload, Replacement } from "../log/payload.ts";
import type { RehydratedPart } from "../log/payload-compaction.ts";
import { HOST, type Provenance, SUMMARY } from "../log/provenance.ts";
import type { PlacedText, Surroundings } from "../state/host-content.ts";
import { describeTool, loadedTools } from "../view/tool-search.ts";
import type { MessageItem } from "../view/view.ts";
import type { RoomPart } from "./draft.ts";
import type { Evidence } from "./evidence/state.ts";
import { type PlannedFile, planFiles, rankFiles } from "./rehydrate-files.ts";
import { shortenText } from "./summary/sections.ts";

export interface RehydrateOptions {
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

export interface Rehydrated {
  readonly attachments: readonly AttachmentPayload[];
  readonly files: { readonly putBack: number; readonly skipped: number; readonly failed: number };
  /** All that the host had, and what of it is in view: nothing is left out unsaid. */
  readonly parts: readonly RehydratedPart[];
}

/** Of the ranked files, so many are read: most of them are small, and some are gone. */
const READ_FILES = 40;
/** Fewer tokens of a text are not worth a cut. */
const LEAST_TOKENS = 100;

/** What the model gets to see again after a compaction, each within its limits. Asked for all at once. */
export async function rehydrate(options: RehydrateOptions): Promise<Rehydrated> {
  const { surroundings, room, countTokens } = options;
  const [files, skills = [], ...others] = await Promise.all([
    readFiles(options),
    asked(surroundings.skills),
    ...OTHERS.map(([name]) => asked<string | PlacedText>(surroundings[name])),
  ]);
  const skillTexts = skills.map(({ name, text, provenance = { kind: "project", name } }) => ({
    type: "skill",
    name,
    heading: `Skill ${name}:`,
    text,
    provenance,
    rest: "use the skill again",
  }));
  const shownSkills = fitTexts(skillTexts, room.skills, countTokens, options.skillTokens);
  // The room that files and skills leave is there for the rest: a plan is to be whole.
  const leftTokens = room.files - tokensOf(files.parts) + room.skills - tokensOf(shownSkills.parts);
  const texts = OTHERS.flatMap(([, type, heading, provenance], index) => {
    const other = others[index];
    const text = typeof other === "string" ? other : other?.text;
    if (text === undefined || text.trim() === "") return [];
    const rest = typeof other === "object" ? `read them in ${other.path}` : "ask for them, or search with recall";
    return [{ type, heading, text, provenance, rest }];
  });
  const shownTexts = fitTexts(texts, room.surroundings + Math.max(0, leftTokens), countTokens);
  const { planned, failed, ranked } = files;
  return {
    attachments: [...planned.map(toAttachment), ...shownSkills.attachments, ...shownTexts.attachments],
    files: { putBack: planned.length, skipped: ranked - failed - planned.length, failed },
    parts: [...files.parts, ...shownSkills.parts, ...shownTexts.parts],
  };
}

/** By field, the type of the attachment, what it says first, and where it comes from. */
const OTHERS = [
  ["plan", "plan", "The plan, as it stands:", { kind: "model" }],
  ["planMode", "plan-mode", "The plan is still being made:", HOST],
  ["tools", "tools", "Tools, as they were announced:", { kind: "tool", name: "servers" }],
  ["toolInstructions", "tool-instructions", "How these tools are to be used:", { kind: "tool", name: "servers" }],
] as const;

interface HostText {
  readonly type: string;
  readonly name?: string;
  readonly heading: string;
  readonly text: string;
  readonly provenance: Provenance;
  /** How to have what is cut. */
  readonly rest: string;
}

/** The texts in their order, as long as there is room: one that does not fit is cut, and says how to read the rest. */
function fitTexts(
  texts: readonly HostText[],
  roomTokens: number,
  countTokens: (text: string) => number,
  eachTokens: number = Number.POSITIVE_INFINITY,
): { readonly attachments: readonly AttachmentPayload[]; readonly parts: readonly RehydratedPart[] } {
  const attachments: AttachmentPayload[] = [];
  const parts: RehydratedPart[] = [];
  let left = roomTokens;
  for (const { type, name, heading, text, provenance, rest } of texts) {
    const whole = `${heading}\n${text}`;
    const ofTokens = countTokens(whole);
    const most = Math.min(left, eachTokens);
    const shown = ofTokens <= most ? whole : cutTo(most, { heading, text, rest }, countTokens);
    const tokens = shown === undefined ? 0 : countTokens(shown);
    const state = shown === undefined ? "left-out" : shown === whole ? "whole" : "cut";
    parts.push({
      type,
      name,
      shown: state,
      tokens,
      ofTokens,
      ...(state === "whole" ? {} : { why: `there was room for ${Math.max(0, Math.floor(most))} tokens` }),
    });
    if (shown !== undefined) attachments.push(attachment(type, shown, provenance));
    left -= tokens;
  }
  return { attachments, parts };
}

/** As much of a text as fits, with a mark; undefined if that is next to nothing. */
function cutTo(
  mostTokens: number,
  { heading, text, rest }: Pick<HostText, "heading" | "text" | "rest">,
  countTokens: (text: string) => number,
): string | undefined {
  let characters = Math.floor((text.length * mostTokens) / Math.max(1, countTokens(text)));
  for (; mostTokens >= LEAST_TOKENS && characters > 0; characters = Math.floor(characters * 0.8)) {
    const cut = shortenText(text, characters, (more) => `[${more} characters more are left out here: ${rest}]`);
    if (countTokens(`${heading}\n${cut}`) <= mostTokens) return `${heading}\n${cut}`;
  }
  return undefined;
}

async function readFiles({ surroundings, evidence, newestTexts, shownFiles, ...limits }: RehydrateOptions) {
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
  const byPath = new Map(planned.map((file) => [file.path, file]));
  const parts = ranked.map(({ path }) => filePart(path, contents.get(path), byPath.get(path), countTokens));
  return { planned, failed: ranked.length - contents.size, ranked: ranked.length, parts };
}

function filePart(
  name: string,
  content: string | undefined,
  planned: PlannedFile | undefined,
  countTokens: (text: string) => number,
): RehydratedPart {
  const ofTokens = content === undefined ? 0 : countTokens(content);
  if (planned === undefined) {
    const why = content === undefined ? "it could not be read" : "there was no room for it";
    return { type: "file", name, shown: "left-out", tokens: 0, ofTokens, why };
  }
  const { extent, tokens } = planned;
  if (extent === "whole") return { type: "file", name, shown: "whole", tokens, ofTokens };
  return { type: "file", name, shown: "cut", tokens, ofTokens, why: "only the parts that were worked on are shown" };
}

function tokensOf(parts: readonly RehydratedPart[]): number {
  return parts.reduce((sum, { tokens }) => sum + tokens, 0);
}

function toAttachment({ path, parts, extent }: PlannedFile): AttachmentPayload {
  const texts = parts.map(({ lines: [first, last], text }) =>
    extent === "whole" ? text : `[lines ${first} to ${last}]\n${text}`,
  );
  const what = extent === "whole" ? "as it is now" : "the parts that were worked on, as they are now";
  return attachment("file", `${path}, ${what}:\n${texts.join("\n")}`, { kind: "outside", name: path });
}

/** What the host answers; a host that fails is no reason to fail. */
async function asked<Value>(ask: (() => Promise<Value | undefined>) | undefined): Promise<Value | undefined> {
  try {
    return await ask?.();
  } catch {
    return undefined;
  }
}

/** Definitions that are brought in again may take so much; those that do not fit can be searched for again. */
const MOST_TOKENS = 10_000;

/**
 * The deferred tools that compacted messages had brought in, as texts that bring them in again. Tools that were called come
 * first, the newest call first.
 */
export function toolsAgain(compacted: readonly MessageItem[], countTokens: (text: string) => number): readonly Text[] {
  const loaded = loadedTools(compacted);
  if (loaded.size === 0) return [];
  const called = compacted.flatMap(({ blocks }) =>
    blocks.filter((block): block is ToolCall => block.kind === "tool_call"),
  );
  const names = new Set([...called.map(({ name }) => name).reverse(), ...loaded.keys()]);
  let room = MOST_TOKENS;
  return [...names].flatMap((name): Text[] => {
    const tool = loaded.get(name);
    if (tool === undefined) return [];
    const text = describeTool(tool);
    const tokens = countTokens(text);
    if (tokens > room) return [];
    room -= tokens;
    return [{ kind: "text", text, tool }];
  });
}

/** The same as a search and its result, the form in which every provider takes tools. */
export function asSearch(tools: readonly Text[], boundary: number): readonly Replacement[] {
  if (tools.length === 0) return [];
  const id = `tools-${boundary}`;
  const input = { names: tools.flatMap(({ tool }) => (tool === undefined ? [] : [tool.name])) };
  return [
    {
      role: "assistant",
      origin: "summary",
      provenance: SUMMARY,
      blocks: [{ kind: "tool_call", id, name: TOOL_SEARCH, input }],
    },
    {
      role: "user",
      origin: "summary",
      provenance: SUMMARY,
      blocks: [{ kind: "tool_result", callId: id, content: tools, status: "ok" }],
    },
  ];
}
