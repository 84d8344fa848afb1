import { z } from 'zod';
import { Timestamp } from '../fields.ts';
import { BotId } from './bots.ts';

export const DocumentStatus = z
  .object({
    name: z.string().describe('Last segment of its path or URL, percent-decoded; unique within a bot'),
    url: z.string().nullable(),
    status: z.enum(['pending', 'processing', 'complete', 'error', 'deleting']),
    pages: z.int().nullable(),
    chunks: z.int().nullable(),
    bytes: z.int().nullable(),
    sha256: z.string().nullable(),
    indexed_at: Timestamp.nullable(),
    error: z.string().nullable(),
  })
  .meta({ id: 'DocumentStatus' });
export type DocumentStatus = z.infer<typeof DocumentStatus>;

export const DocumentStatuses = z.array(DocumentStatus).meta({ id: 'DocumentStatuses' });
export type DocumentStatuses = z.infer<typeof DocumentStatuses>;

export const DocumentPath = z.object({ index_id: BotId, doc_name: z.string().min(1) });
export type DocumentPath = z.infer<typeof DocumentPath>;

/** Where the chatbot serves the stored file of a document. */
export const storedDocumentUri = (bot: string, name: string) =>
  `/documents/${encodeURIComponent(bot)}/${encodeURIComponent(name)}`;
