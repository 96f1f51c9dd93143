import { asObject, asString, type JsonObject, present } from "palimpsest/core";
import type { RecordedBranch, RecordedSession } from "./recorded.ts";

export interface Owner {
  /** Whose transcript it is, told from its first line. */
  begin(fields: JsonObject): Pick<RecordedSession, "id" | "parentSession">;
  /** Whose window a line belongs to. */
  branchOf(fields: JsonObject): RecordedBranch;
}

/**
 * Tells subagents from the session, in the words of Claude Code and Qwen Code. A file that begins with a line of a subagent
 * (`subagents/agent-<id>.jsonl`) is that one's own, and its window the main one; in other files a subagent is at the side.
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
      return { id: session, ...present({ parentSession: asString(asObject(fields["forkedFrom"])?.["sessionId"]) }) };
    },
    branchOf(fields) {
      if (asObject(fields["forkedFrom"]) !== undefined) return "inherited";
      const isOwn = ownAgent !== undefined && fields["agentId"] === ownAgent;
      return fields["isSidechain"] === true && !isOwn ? "sidechain" : "main";
    },
  };
}
