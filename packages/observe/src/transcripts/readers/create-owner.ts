import { asObject, asString, type JsonObject } from "palimpsest/schema";
import type { RecordedBranch, RecordedSession } from "./recorded.ts";

export interface Owner {
  /** Reads the owner of a transcript from its first line. */
  begin(fields: JsonObject): Pick<RecordedSession, "id" | "parentSession">;
  /** Returns the branch, and so the context window, of a line. */
  branchOf(fields: JsonObject): RecordedBranch;
}

/**
 * Distinguishes subagents from the session, in the formats of Claude Code and Qwen Code. A file that begins with a
 * subagent's line (`subagents/agent-<id>.jsonl`) belongs to that subagent, and its window is the main one; in other
 * files a subagent is a sidechain.
 */
export function createOwner(): Owner {
  let ownAgent: string | undefined;
  return {
    begin(fields) {
      const session = asString(fields["sessionId"]) ?? "unknown";
      const agent = asString(fields["agentId"]);
      if (fields["isSidechain"] === true && agent !== undefined) {
        ownAgent = agent;
        return { id: agent, parentSession: session };
      }
      return { id: session, parentSession: asString(asObject(fields["forkedFrom"])?.["sessionId"]) };
    },
    branchOf(fields) {
      if (asObject(fields["forkedFrom"]) !== undefined) return "inherited";
      const isOwn = ownAgent !== undefined && fields["agentId"] === ownAgent;
      return fields["isSidechain"] === true && !isOwn ? "sidechain" : "main";
    },
  };
}
