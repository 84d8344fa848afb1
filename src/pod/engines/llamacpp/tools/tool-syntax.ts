/** How a model writes a tool call. */
export interface ToolSyntax {
  /** Markers around a call. If `opening` is empty, the whole answer is the call. */
  opening: string;
  closing: string;
  /** The JSON member for the arguments, next to `name`. */
  argumentsKey: 'arguments' | 'parameters';
  /** Several calls are written as one JSON array. */
  list: boolean;
  /** Whether the model's own template explains the tools; otherwise we add an explanation. */
  native: boolean;
}

const hermes: ToolSyntax = {
  opening: '<tool_call>\n',
  closing: '\n</tool_call>',
  argumentsKey: 'arguments',
  list: false,
  native: true,
};

/** Detects from a chat template which syntax the model was trained on. */
export function detectToolSyntax(template: string): ToolSyntax {
  if (template.includes('[TOOL_CALLS]'))
    return { opening: '[TOOL_CALLS]', closing: '', argumentsKey: 'arguments', list: true, native: true };
  if (template.includes('<tool_call>')) return hermes;
  if (/\btools\b/.test(template) && template.includes('"parameters"'))
    return { opening: '', closing: '', argumentsKey: 'parameters', list: false, native: true };
  return { ...hermes, native: false };
}
