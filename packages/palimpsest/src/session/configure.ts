import { InvalidOptionError } from "../log/invalid-option-error.ts";
import { toDraft } from "../log/to-draft.ts";
import { changeConfiguration, type WantedConfiguration } from "./change-configuration.ts";
import type { SessionContext } from "./session-context.ts";

/** Changes what is sent beside the messages, by an entry in the log if it is not as wanted. */
export async function configure<Request, Response, Message>(
  { state, provider, options, facts, tools: known }: SessionContext<Request, Response, Message>,
  { system, tools, parameters, ...wanted }: WantedConfiguration,
): Promise<void> {
  const model = wanted.model ?? state.view.configuration?.model ?? options.model;
  if (model === undefined) throw new InvalidOptionError("openSession({ model })", model, "the name of a model");
  await facts.learn(model);
  const payload = changeConfiguration(state.view.configuration, {
    provider: provider.name,
    model,
    system,
    tools: tools && known.define(tools),
    parameters,
  });
  if (payload !== undefined) await state.append([toDraft("configuration", payload)]);
}
