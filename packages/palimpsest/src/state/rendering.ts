// Renders a view as messages in the provider's form, and keeps the result up to date.

import type { ToolDefinition } from "../log/payload.ts";
import type { Provider } from "../providers/provider.ts";
import { createFlattener, type FlattenRules, MARKED_REQUESTS, placeMarks, type Trace } from "../view/flatten.ts";
import { inToolForm, toolsIn } from "../view/tool-search.ts";
import type { FlatMessage, View } from "../view/view.ts";

/** The messages of a view in the provider's form. The object is updated from request to request. */
export interface Rendering {
  readonly rules: FlattenRules;
  /** The flat messages, before they are rendered in the provider's form. */
  readonly flat: readonly FlatMessage[];
  /**
   * For each flat message, the number of rendered messages up to and including it. Some providers need several rendered
   * messages for one flat message.
   */
  readonly ends: readonly number[];
  /**
   * Updates the messages to the view, and returns the messages to mark for the cache. Later updates change the same
   * array, so a caller that builds a request copies it once (above 16,384 elements, a copy costs more than everything
   * else in a request).
   */
  update(view: View): RenderedView;
}

export interface RenderedView {
  readonly messages: readonly unknown[];
  readonly marks: readonly number[];
  /** The deferred tools that the messages have loaded. */
  readonly loaded: ReadonlyMap<string, ToolDefinition>;
}

export function createRendering(provider: Provider, rules: FlattenRules, trace?: Trace): Rendering {
  const flattener = createFlattener(rules, trace);
  const rendered: unknown[] = [];
  const ends: number[] = [];
  /** The flat messages that load tools. `end`: the number of flat messages up to and including this one. */
  const loads: { readonly end: number; readonly tools: readonly ToolDefinition[] }[] = [];
  return {
    rules,
    flat: flattener.messages,
    ends,
    update(view) {
      const unchanged = flattener.update(view.items, view.unchangedItems);
      view.unchangedItems = view.items.length;
      ends.length = unchanged;
      while ((loads.at(-1)?.end ?? 0) > unchanged) loads.pop();
      rendered.length = ends.at(-1) ?? 0;
      for (const message of flattener.messages.slice(unchanged)) {
        for (const one of provider.renderMessage(inToolForm(message, rules.toolSearch ?? "native"))) rendered.push(one);
        ends.push(rendered.length);
        const tools = toolsIn(message);
        if (tools.length > 0) loads.push({ end: ends.length, tools });
      }
      const marks = placeMarks(flattener.newestEnds(MARKED_REQUESTS).map((end) => ends[end - 1]!));
      const loaded = new Map(loads.flatMap(({ tools }) => tools.map((tool) => [tool.name, tool])));
      return { messages: rendered, marks, loaded };
    },
  };
}
