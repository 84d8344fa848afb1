import { z } from 'zod';
import { list, most } from '../limits.ts';

const FunctionName = z
  .string()
  .regex(/^[\w.:/-]{1,128}$/, 'must be 1 to 128 letters, digits or the characters _ . : / -');

export const ChatTool = z
  .looseObject({
    type: z.literal('function'),
    function: z.looseObject({
      name: FunctionName,
      description: z.string().nullish(),
      parameters: z.record(z.string(), z.unknown()).nullish().describe('A JSON Schema'),
      strict: z.boolean().nullish(),
    }),
  })
  .meta({ id: 'ChatTool' });
export type ChatTool = z.infer<typeof ChatTool>;

export const NamedToolChoice = z
  .looseObject({ type: z.literal('function'), function: z.looseObject({ name: FunctionName }) })
  .meta({ id: 'NamedToolChoice' });
export type NamedToolChoice = z.infer<typeof NamedToolChoice>;

/** A part of the tools, so that the list of all of them, and with it the cached prompt, can stay the same. */
export const AllowedToolChoice = z
  .looseObject({
    type: z.literal('allowed_tools'),
    allowed_tools: z.looseObject({
      mode: z.enum(['auto', 'required']),
      tools: list(NamedToolChoice, { least: 1, most: most.tools }),
    }),
  })
  .meta({ id: 'AllowedToolChoice' });
export type AllowedToolChoice = z.infer<typeof AllowedToolChoice>;

export const ToolChoice = z.union(
  [z.enum(['none', 'auto', 'required']), NamedToolChoice, AllowedToolChoice],
  {
    error:
      'must be "none", "auto", "required", {"type": "function", "function": {"name": …}} or {"type": "allowed_tools", "allowed_tools": {"mode": …, "tools": […]}}',
  },
);
export type ToolChoice = z.infer<typeof ToolChoice>;

export const ToolCall = z
  .looseObject({
    id: z.string(),
    type: z.literal('function'),
    function: z.looseObject({ name: z.string(), arguments: z.string().describe('JSON text') }),
  })
  .meta({ id: 'ToolCall' });
export type ToolCall = z.infer<typeof ToolCall>;

/** A chunk of a tool call: the first one has the id and name, all others continue the arguments. */
export const ToolCallDelta = z
  .looseObject({
    index: z.int().min(0),
    id: z.string().optional(),
    type: z.literal('function').optional(),
    function: z.looseObject({ name: z.string().optional(), arguments: z.string().optional() }).optional(),
  })
  .meta({ id: 'ToolCallDelta' });
export type ToolCallDelta = z.infer<typeof ToolCallDelta>;
