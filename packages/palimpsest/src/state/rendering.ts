import type { ToolDefinition } from "../log/payload.ts";
import type { Provider } from "../providers/provider.ts";
import { createFlattener, type FlattenRules, MARKED_REQUESTS, placeMarks, type Trace } from "../view/flatten.ts";
import { inToolForm, toolsIn } from "../view/tool-search.ts";
import type { FlatMessage, View } from "../view/view.ts";

/** The messages of a view in the provider's form, kept up from request to request. */
export interface Rendering {
  readonly rules: FlattenRules;
  /** The same messages before they were given the provider's form. */
  readonly flat: readonly FlatMessage[];
  /** For each of them, how many rendered messages there are up to and with it: some forms need several for one. */
  readonly ends: readonly number[];
  /**
   * Brings it up to the view; says which messages are to be marked for the cache. The array goes on changing: whoever
   * makes a request of it copies it, once (above 16,384 elements a copy costs more than all else in a request).
   */
  update(view: View): RenderedView;
}

export interface RenderedView {
  readonly messages: readonly unknown[];
  readonly marks: readonly number[];
  /** The deferred tools that the messages have brought in. */
  readonly loaded: ReadonlyMap<string, ToolDefinition>;
}

export function createRendering(provider: Provider, rules: FlattenRules, trace?: Trace): Rendering {
  const flattener = createFlattener(rules, trace);
  const rendered: unknown[] = [];
  const ends: number[] = [];
  /** The flat messages that bring tools in, by how many there are up to and with them. */
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
