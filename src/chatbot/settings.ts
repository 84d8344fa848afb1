import { z } from 'zod';
import { byteSize, duration } from '../platform/config/fields.ts';

const chatbot = z.strictObject({
  mode: z
    .enum(['auto', 'extractive', 'generative'])
    .default('auto')
    .describe(
      'How bots answer. generative: a chat model writes the answer. extractive: the best sentences of the documents are quoted. auto: generative where a deployed chat model passes a short test of following instructions, else extractive.',
    ),
  model: z
    .string()
    .min(1)
    .max(512)
    .optional()
    .describe('The served chat model that writes the answers. Default: the first that passes the test.'),
  answer_tokens: z
    .int()
    .min(16)
    .max(32_000)
    .default(700)
    .describe('Longest answer of the chat model, in tokens.'),
  public: z
    .array(z.union([z.literal('*'), z.string().regex(/^[a-z0-9][a-z0-9_-]{0,62}$/)]))
    .default([])
    .describe(
      'Bots that answer without a key, on their pages, as tools and, in open mode, as models, and show their documents. "*": all bots.',
    ),
  public_requests_per_minute: z
    .int()
    .min(1)
    .default(20)
    .describe(
      'Questions and ratings per minute that public bots take from one network address without a key.',
    ),
  links_expire: duration()
    .default(12 * 3_600_000)
    .describe(
      'For how long a browser can open the documents that an answer cites, where it was asked for signed links.',
    ),
  rate_within: duration()
    .default(24 * 3_600_000)
    .describe('For how long an answer can be rated. Answers that nobody rates are removed then.'),
  max_document_size: byteSize()
    .default(2 ** 30)
    .describe('Largest file that PUT /documents/<filename> stores.'),
});

export const chatbotSettings = { chatbot: chatbot.prefault({}) };
export interface ChatbotSettings {
  chatbot: z.output<typeof chatbot>;
}
