import { HOSTILE } from "./hostile-session.ts";

const USAGE = { input_tokens: 10, cache_creation_input_tokens: 9_000, cache_read_input_tokens: 0, output_tokens: 20 };

/** A transcript of Claude Code that has a hostile text in every field that a program reads. */
export function hostileTranscript(): string {
  const call = { type: "tool_use", id: HOSTILE, name: HOSTILE, input: { file_path: HOSTILE, [HOSTILE]: HOSTILE } };
  const result = { type: "tool_result", tool_use_id: HOSTILE, content: HOSTILE };
  const lines = [
    { type: "user", message: { role: "user", content: HOSTILE } },
    answer("1", [{ type: "text", text: HOSTILE }, call]),
    { type: "user", message: { role: "user", content: [result] } },
    answer("2", [{ type: "thinking", thinking: HOSTILE, signature: HOSTILE }]),
    { type: "system", subtype: "compact_boundary", content: HOSTILE, compactMetadata: { trigger: "auto" } },
    { type: "user", isCompactSummary: true, message: { role: "user", content: HOSTILE } },
    answer("3", [{ type: "text", text: HOSTILE }]),
  ];
  return lines
    .map((line, index) =>
      JSON.stringify({
        sessionId: HOSTILE,
        uuid: String(index),
        parentUuid: index === 0 ? null : String(index - 1),
        isSidechain: false,
        version: HOSTILE,
        cwd: HOSTILE,
        gitBranch: HOSTILE,
        timestamp: new Date(Date.UTC(2026, 0, 1, 10, index * 10)).toISOString(),
        ...line,
      }),
    )
    .join("\n");
}

function answer(id: string, content: readonly unknown[]): Readonly<Record<string, unknown>> {
  const message = { id: `${id} ${HOSTILE}`, role: "assistant", model: HOSTILE, content, usage: USAGE };
  return { type: "assistant", requestId: `${id} ${HOSTILE}`, message };
}
