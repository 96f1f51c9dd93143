// Repairs lists of messages in a provider's form.

import type { Provider } from "../providers/provider.ts";
import { aList, aText, checkArgument, withMethods } from "../schema/check-options.ts";
import { cleanBlock, createFlattener, joinNeighbors } from "../view/flatten.ts";
import { messageItem } from "../view/items.ts";
import type { FlatMessage } from "../view/view.ts";

/**
 * Makes any list of messages valid for a provider: every call gets a result and every result a call, roles alternate,
 * ids are unique, and empty content is removed. Does not change the list itself. A list that needs no repair comes back
 * with the same content. In a repaired list, thinking is left out where the model binds it to the exact conversation.
 */
export function repairMessages<Message>(
  provider: Provider<unknown, unknown, Message>,
  model: string,
  messages: readonly Message[],
): readonly Message[] {
  checkArgument(
    "repairMessages(provider)",
    provider,
    withMethods(["readMessages", "factsOf"], "a provider, as in the options of openSession()"),
  );
  checkArgument("repairMessages(provider, model)", model, aText("the name of a model"));
  checkArgument("repairMessages(provider, model, messages)", messages, aList("a list of messages"));
  const payloads = provider.readMessages(messages);
  const flatten = (thinking: "intact" | "lost"): readonly FlatMessage[] => {
    const flattener = createFlattener({ provider: provider.name, thinking: provider.factsOf(model).thinking });
    const items = payloads.map((payload, index) => ({
      // Treat each message as an answer to the beginning of the list, so that its thinking counts as intact.
      ...messageItem(index + 1, { ...payload, answers: 0 }),
      thinking,
    }));
    const end = items.length + 1;
    flattener.update([...items, { kind: "seal", from: end, to: end, maxTokens: 0 }], 0);
    return flattener.messages;
  };
  const intact = flatten("intact");
  const rules = { provider: provider.name, thinking: "send" } as const;
  const clean = payloads.map(({ role, blocks }) => ({
    role,
    blocks: blocks.flatMap((block) => cleanBlock(block, rules) ?? []),
  }));
  const isWhole = JSON.stringify(intact) === JSON.stringify(joinNeighbors(clean));
  return (isWhole ? intact : flatten("lost")).flatMap((message) => provider.renderMessage(message));
}
