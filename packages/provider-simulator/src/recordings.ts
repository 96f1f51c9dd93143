/** `@palimpsest/provider-simulator/recordings`: the form in which traffic is recorded, for programs that write or read it. */
export { openRecording, type Recording, withoutKeys } from "./recordings/open-recording.ts";
export {
  type RecordedBody,
  type RecordedExchange,
  type RecordedRequest,
  requestKey,
  toBytes,
  toRecordedBody,
} from "./recordings/recorded-exchange.ts";
