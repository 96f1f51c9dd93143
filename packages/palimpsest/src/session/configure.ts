import { InvalidOptionError } from "../log/invalid-option-error.ts";
import { toDraft } from "../log/to-draft.ts";
import type { ToolDefinition } from "../log/tool-definition.ts";
import type { SessionContext } from "../state/context.ts";
import { windowOfModel } from "../state/limits.ts";
import { definitionTokens } from "../view/account.ts";
import { changeConfiguration } from "./change-configuration.ts";
import { planDeferral } from "./plan-deferral.ts";
import type { WantedConfiguration } from "./wanted-configuration.ts";

/** Tools that may be deferred are, if they would take more of the window than this. */
const DEFERRED_SHARE = 0.1;

/** Changes what is sent beside the messages, by an entry in the log if it is not as wanted. */
export async function configure<Request, Response, Message>(
  { state, provider, options, facts, factsOf, settings, tools: known }: SessionContext<Request, Response, Message>,
  { system, tools, parameters, ...wanted }: WantedConfiguration,
): Promise<void> {
  const model = wanted.model ?? state.view.configuration?.model ?? options.model;
  if (model === undefined) throw new InvalidOptionError("openSession({ model })", model, "the name of a model");
  await facts.learn(model);
  const window = windowOfModel(model, factsOf(model), { settings: settings() });
  const deferral = {
    aboveTokens: Math.min(settings()["tools.deferAboveTokens"], window.tokens * DEFERRED_SHARE),
    countTokens: (tool: ToolDefinition) => definitionTokens(state.view, tool),
    before: state.view.configuration?.tools ?? [],
  };
  const payload = changeConfiguration(state.view.configuration, {
    provider: provider.name,
    model,
    system,
    tools: tools && planDeferral(known.define(tools), deferral),
    parameters,
  });
  if (payload !== undefined) await state.append([toDraft("configuration", payload)]);
}
