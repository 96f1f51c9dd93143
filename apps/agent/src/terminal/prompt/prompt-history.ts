import { appendFile, chmod, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { makePrivateFolder } from "../../workspace/private-files.ts";

/** The user's earlier messages in a project, from all its sessions. */
export interface PromptFile {
  /** Oldest first. */
  read(): Promise<readonly string[]>;
  add(text: string): Promise<void>;
}

const MOST = 500;

/** Stores one line of JSON per message, in a file that only this user can read. */
export function promptFile(path: string): PromptFile {
  return {
    async read() {
      const text = await readFile(path, "utf8").catch(() => "");
      return text
        .split("\n")
        .slice(-MOST - 1)
        .flatMap((line) => {
          const said = parse(line);
          return typeof said === "string" ? [said] : [];
        });
    },
    async add(said) {
      await makePrivateFolder(dirname(path));
      await appendFile(path, `${JSON.stringify(said)}\n`, { mode: 0o600 });
      await chmod(path, 0o600);
    },
  };
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
