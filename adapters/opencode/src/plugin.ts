// The plugin for opencode: puts a session between opencode and its model.

import { homedir } from "node:os";
import { join } from "node:path";
import { readRecallInput, recalledText, recallTool } from "palimpsest";
import { asObject, asString } from "palimpsest/schema";
import { createModelCalls } from "./model-calls.ts";
import { openStore } from "./open-store.ts";
import type { OpencodeHooks, OpencodeInput } from "./opencode-plugin.ts";
import { createRequests } from "./requests.ts";
import { createSessions } from "./sessions.ts";

/**
 * Keeps the conversations of opencode inside the context window: `"plugin": ["@palimpsest/opencode"]` in opencode.json. opencode keeps its
 * own messages unchanged, and the model gets the messages that the session shows.
 * @param options `folder`: the folder of the logs. @default ~/.palimpsest/opencode
 */
export async function palimpsest(
  { client }: OpencodeInput,
  { folder = join(homedir(), ".palimpsest", "opencode") }: { readonly folder?: string } = {},
): Promise<OpencodeHooks> {
  const store = await openStore(folder);
  const calls = createModelCalls(client);
  const sessions = createSessions(store, calls);
  /** Writes to opencode's log, because a plugin must not write to the screen. */
  const report = (level: "info" | "warn", message: string): void => {
    client.app.log({ body: { service: "palimpsest", level, message } }).catch(() => {});
  };
  const requests = createRequests({ client, sessions, report });
  return {
    async dispose() {
      requests.end();
      await sessions.close();
      await store.close();
    },
    async "experimental.chat.messages.transform"(_, { messages }) {
      const session = asString(asObject(messages.at(-1)?.info)?.["sessionID"]);
      if (session === undefined) return;
      if (calls.isOwn(session)) return calls.fill(session, messages);
      try {
        await requests.replace(session, messages);
      } catch (error) {
        // An error would end the turn, so opencode sends its own messages instead.
        report(
          "warn",
          `Palimpsest could not prepare the request, so opencode sends its own messages unchanged: ${(error as Error).message}`,
        );
      }
    },
    async "experimental.session.compacting"({ sessionID }) {
      requests.compactNext(sessionID);
    },
    async "tool.execute.before"({ sessionID }) {
      if (calls.isOwn(sessionID)) throw new Error("A call for a summary runs no tools.");
    },
    // opencode would mark all arguments as required.
    async "tool.definition"({ toolID }, output) {
      if (toolID === recallTool.name) output.jsonSchema = recallTool.inputSchema;
    },
    tool: {
      recall: {
        description: recallTool.description ?? "",
        args: asObject(recallTool.inputSchema["properties"]) ?? {},
        async execute(args, { sessionID }) {
          const session = sessions.open().find(({ id }) => id === sessionID);
          if (session === undefined) return "Nothing can be recalled: this session is not open.";
          return recalledText(await session.recall(readRecallInput(args)));
        },
      },
    },
  };
}
