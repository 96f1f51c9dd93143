import type { Provider } from "../providers/provider.ts";
import { createFlattener } from "../view/flatten.ts";
import { messageItem } from "../view/fold-entry.ts";

/**
 * Makes any list of messages in a provider's form sendable: calls get results and results their calls, roles alternate,
 * ids are unique, empty content goes. The list itself is not changed. A list that needs no repair comes back equal; in one
 * that does, thinking is left out where the model binds it to the exact conversation.
 */
export function repairMessages<Message>(
  provider: Provider<unknown, unknown, Message>,
  model: string,
  messages: readonly Message[],
): readonly Message[] {
  const payloads = provider.readMessages(messages);
  const repair = (thinking: "intact" | "lost"): readonly Message[] => {
    const flattener = createFlattener({ provider: provider.name, thinking: provider.factsOf(model).thinking });
    const items = payloads.map((payload, index) => ({ ...messageItem(index + 1, payload), thinking }));
    const end = items.length + 1;
    flattener.update([...items, { kind: "seal", from: end, to: end, maxTokens: 0 }], 0);
    return flattener.messages.flatMap((message) => provider.renderMessage(message));
  };
  const intact = repair("intact");
  return JSON.stringify(intact) === JSON.stringify(messages) ? intact : repair("lost");
}
