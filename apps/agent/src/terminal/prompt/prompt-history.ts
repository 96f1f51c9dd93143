import { appendFile, chmod, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { asObject, asString } from "palimpsest/schema";
import { makePrivateFolder } from "../../workspace/private-files.ts";
import { type Paste, pastesIn, toPaste } from "./pastes.ts";

/** The user's earlier messages in a project, oldest first, with the pastes that they contain. */
export interface EarlierPrompts {
  readonly texts: readonly string[];
  readonly pastes: readonly Paste[];
}

/** The user's earlier messages in a project, from all its sessions. */
export interface PromptFile {
  read(): Promise<EarlierPrompts>;
  /** @param pastes the texts behind words such as `[paste 1: 40 lines]` */
  add(text: string, pastes: readonly Paste[]): Promise<void>;
}

const MOST = 500;

/** Stores one line of JSON per message, in a file that only this user can read. */
export function promptFile(path: string): PromptFile {
  return {
    async read() {
      const file = await readFile(path, "utf8").catch(() => "");
      const pastes: Paste[] = [];
      const texts = file
        .split("\n")
        .slice(-MOST - 1)
        .flatMap((line) => {
          const entry = parse(line);
          if (typeof entry === "string") return [entry];
          const { text, pastes: ofEntry } = asObject(entry) ?? {};
          return typeof text === "string" ? [renamed(text, ofEntry, pastes)] : [];
        });
      return { texts, pastes };
    },
    async add(text, all) {
      await makePrivateFolder(dirname(path));
      const pastes = pastesIn(text, all);
      const line = pastes.length === 0 ? text : { text, pastes };
      await appendFile(path, `${JSON.stringify(line)}\n`, { mode: 0o600 });
      await chmod(path, 0o600);
    },
  };
}

/** Gives the pastes of an earlier message words that no paste of this session has, and adds them to `known`. */
function renamed(text: string, pastes: unknown, known: Paste[]): string {
  if (!Array.isArray(pastes)) return text;
  return pastes.reduce((whole: string, one: unknown) => {
    const { word, text: pasted } = asObject(one) ?? {};
    if (asString(word) === undefined || asString(pasted) === undefined) return whole;
    const paste = toPaste(pasted as string, known.length + 1, "earlier paste");
    known.push(paste);
    return whole.replace(word as string, () => paste.word);
  }, text);
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
