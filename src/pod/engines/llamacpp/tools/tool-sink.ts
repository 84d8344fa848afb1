import type { TextSink } from '../output/text-sink.ts';
import type { TokenBytes } from '../output/token-bytes.ts';
import type { ToolSyntax } from './tool-syntax.ts';
import { pythonTag, type ToolRules, ToolText } from './tool-text.ts';

/** Separates tool calls from prose as an answer's text arrives. */
export function toolSink(tokenBytes: TokenBytes, syntax: ToolSyntax, rules: ToolRules = {}): TextSink {
  const reader = new ToolText(syntax, rules);
  const markers = [syntax.opening.trim(), syntax.closing.trim(), pythonTag].filter(Boolean);
  return {
    // A marker may be a control token, which is omitted from plain text.
    bytesOf: (token) => {
      const shown = tokenBytes.of(token);
      if (shown.length > 0 || !tokenBytes.isControl(token)) return shown;
      const name = tokenBytes.named(token);
      return markers.includes(new TextDecoder().decode(name)) ? name : shown;
    },
    push: (text, logprobs) => reader.push(text, logprobs),
    flush: (truncated) => reader.flush(truncated),
    get done() {
      return reader.done;
    },
    ending: (reason) => ({
      reason: reason === 'stop' && reader.calls > 0 && reader.complete ? 'tool_calls' : reason,
    }),
  };
}
