/** How a model writes that it calls a tool. */
export interface ToolSyntax {
  /** Where a call begins and ends in the text. An empty opening: the whole answer is the call. */
  opening: string;
  closing: string;
  /** The member that holds the arguments, beside `name`. */
  argumentsKey: 'arguments' | 'parameters';
  /** Several calls stand in one JSON array. */
  list: boolean;
  /** The model's own template explains the tools; otherwise it is done for it. */
  native: boolean;
}

const hermes: ToolSyntax = {
  opening: '<tool_call>\n',
  closing: '\n</tool_call>',
  argumentsKey: 'arguments',
  list: false,
  native: true,
};

/** Reads from a chat template which syntax its model was trained on. */
export function detectToolSyntax(template: string): ToolSyntax {
  if (template.includes('[TOOL_CALLS]'))
    return { opening: '[TOOL_CALLS]', closing: '', argumentsKey: 'arguments', list: true, native: true };
  if (template.includes('<tool_call>')) return hermes;
  if (/\btools\b/.test(template) && template.includes('"parameters"'))
    return { opening: '', closing: '', argumentsKey: 'parameters', list: false, native: true };
  return { ...hermes, native: false };
}
