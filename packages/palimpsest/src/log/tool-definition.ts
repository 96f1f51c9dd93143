import type { Provenance } from "./provenance.ts";

/** Describes a tool to the model. It cannot be run; `tool()` makes tools that can. */
export interface ToolDefinition {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of its input. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** Who describes the tool, if not the host, such as a server of tools. Its description is then marked as data. @default the host */
  readonly provenance?: Provenance;
  /**
   * Whether old results may be replaced by a stub; `recall` still reads them. Not sent to the provider.
   * @default "clearable", and "kept" for a tool with side effects
   */
  readonly results?: "clearable" | "kept";
  /**
   * `bounded`: the tool limits the size of its results, for example because it reads files page by page. Its results are not
   * stored in files. Not sent to the provider. @default results over `toolResults.thresholdCharacters` are stored
   */
  readonly resultSize?: "bounded";
  /**
   * `some`: a call changes something outside the conversation, so a second call does not reproduce the result.
   * Not sent to the provider. @default "none"
   */
  readonly sideEffects?: "none" | "some";
  /**
   * `deferred`: the prompt has only the tool's name and one line about it; the tool `tool_search` brings the rest into the
   * conversation when the model asks for it. `when-large`: deferred if all such tools together are large (`tools.deferAboveTokens`,
   * or a tenth of the window). @default description and schema are in the prompt
   */
  readonly loading?: "deferred" | "when-large";
}

/** The tool by which the model brings deferred tools into the conversation. It is offered if a tool is deferred. */
export const TOOL_SEARCH = "tool_search";
/** The tool that calls them, with providers that know only the tools at the beginning of a request. */
export const CALL_TOOL = "call_tool";
