/**
 * The version of the events of `--output-format stream-json`. Within a version, events and fields are only added. A change that
 * could break a reader makes a new version.
 */
export const STREAM_VERSION = 1;

/** The first line of a stream. */
export interface StreamStarted {
  readonly kind: "stream-started";
  readonly version: number;
  /** The id of the session. */
  readonly session: string;
  readonly model: string;
  /** The folder that the agent works in. */
  readonly folder: string;
}
