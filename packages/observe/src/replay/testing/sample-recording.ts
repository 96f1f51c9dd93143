import { readTranscript } from "../../transcripts/readers/read-transcript.ts";
import { type Recording, toRecording } from "../recording.ts";
import { type SampleTranscript, sampleTranscript } from "./sample-transcript.ts";

/** The made-up session as the readers of transcripts give it. */
export async function sampleRecording(options: SampleTranscript): Promise<Recording> {
  const bytes = ReadableStream.from([Buffer.from(sampleTranscript(options))]);
  return toRecording(await Array.fromAsync(readTranscript(bytes)))!;
}
