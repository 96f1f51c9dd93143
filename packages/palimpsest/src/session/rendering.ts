import { MARKED_REQUESTS, placeMarks } from "../cache/breakpoints.ts";
import type { Provider } from "../providers/provider.ts";
import type { FlatMessage } from "../view/flat-message.ts";
import { createFlattener } from "../view/flatten.ts";
import type { FlattenRules } from "../view/flatten-segment.ts";
import type { View } from "../view/view.ts";

/** The messages of a view in the provider's form, kept up from request to request. */
export interface Rendering<Message> {
  readonly rules: FlattenRules;
  /** The same messages before they were given the provider's form. */
  readonly flat: readonly FlatMessage[];
  /**
   * Brings it up to the view; says which messages are to be marked for the cache. The array goes on changing: whoever
   * makes a request of it copies it, once (above 16,384 elements a copy costs more than all else in a request).
   */
  update(view: View): { readonly messages: readonly Message[]; readonly marks: readonly number[] };
}

export function createRendering<Message>(
  provider: Provider<unknown, unknown, Message>,
  rules: FlattenRules,
): Rendering<Message> {
  const flattener = createFlattener(rules);
  const rendered: Message[] = [];
  /** For each flat message, how many rendered ones there are up to and with it: some forms need several for one. */
  const ends: number[] = [];
  return {
    rules,
    flat: flattener.messages,
    update(view) {
      const unchanged = flattener.update(view.items, view.unchangedItems);
      view.unchangedItems = view.items.length;
      ends.length = unchanged;
      rendered.length = ends.at(-1) ?? 0;
      for (const message of flattener.messages.slice(unchanged)) {
        for (const one of provider.renderMessage(message)) rendered.push(one);
        ends.push(rendered.length);
      }
      const marks = placeMarks(flattener.newestEnds(MARKED_REQUESTS).map((end) => ends[end - 1]!));
      return { messages: rendered, marks };
    },
  };
}
