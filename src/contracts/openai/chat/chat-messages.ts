import { z } from 'zod';
import { list, most } from '../limits.ts';
import { ToolCall } from './tools.ts';

export const ContentPart = z
  .discriminatedUnion('type', [
    z.looseObject({ type: z.literal('text'), text: z.string() }),
    z.looseObject({ type: z.literal('refusal'), refusal: z.string() }),
    z.looseObject({ type: z.literal('image_url'), image_url: z.looseObject({ url: z.string() }) }),
    z.looseObject({
      type: z.literal('input_audio'),
      input_audio: z.looseObject({ data: z.string(), format: z.string() }),
    }),
    z.looseObject({ type: z.literal('file'), file: z.looseObject({}) }),
  ])
  .meta({ id: 'ContentPart' });
export type ContentPart = z.infer<typeof ContentPart>;

const content = z.union([z.string(), list(ContentPart, { least: 1, most: most.contentParts })], {
  error: `must be a string or an array of 1 to ${most.contentParts} content parts`,
});
const name = z.string().nullish();

/** Roles are a closed list; other fields are allowed, because clients send back fields from other servers' answers. */
export const ChatMessage = z
  .discriminatedUnion('role', [
    z.looseObject({ role: z.literal('system'), content, name }),
    z.looseObject({ role: z.literal('developer'), content, name }),
    z.looseObject({ role: z.literal('user'), content, name }),
    z
      .looseObject({
        role: z.literal('assistant'),
        content: content.nullish(),
        name,
        refusal: z.string().nullish(),
        tool_calls: list(ToolCall, { most: most.toolCalls }).nullish(),
      })
      .refine(
        (message) =>
          message.content != null || (message.tool_calls?.length ?? 0) > 0 || message.refusal != null,
        {
          path: ['content'],
          error: 'is required on an assistant message without tool_calls',
        },
      ),
    z.looseObject({ role: z.literal('tool'), content, tool_call_id: z.string() }),
  ])
  .meta({ id: 'ChatMessage' });
export type ChatMessage = z.infer<typeof ChatMessage>;
