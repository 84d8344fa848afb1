import { z } from 'zod';
import { BinaryFile, TextFlag } from '../fields.ts';
import { SourceList, SourceText } from './sources.ts';
import { SyncEvery } from './sync.ts';

const shape = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2})(?: ?(Z|[+-]\d{2}:?\d{2}))?$/;

/** `YYYY-MM-DD HH:MM`, in the server's time zone or with an offset. */
export const TimeToEval = z
  .string()
  .refine(isRealMinute, 'must be YYYY-MM-DD HH:MM, optionally with an offset such as +03:00')
  .meta({ examples: ['2026-03-01 02:30', '2026-03-01 02:30+03:00'] });
export type TimeToEval = z.infer<typeof TimeToEval>;

/** Rejects dates such as February 30, which match the pattern but which JavaScript moves into March. */
function isRealMinute(text: string): boolean {
  const [, day, minute, offset = 'Z'] = shape.exec(text) ?? [];
  if (day === undefined || minute === undefined) return false;
  const utc = new Date(`${day}T${minute}:00Z`);
  if (Number.isNaN(utc.getTime()) || utc.toISOString().slice(0, 16) !== `${day}T${minute}`) return false;
  return offset === 'Z' || (Number(offset.slice(1, 3)) <= 14 && Number(offset.slice(-2)) < 60);
}

const creation = {
  user_story: z.string().max(20_000).default(''),
  sync: TextFlag.describe('1: run before all commands that are not urgent'),
  time_to_eval: TimeToEval.optional().describe('Earliest time at which indexing starts'),
};

/** The text fields of the form. */
export const BotCreation = z.strictObject(creation);
export type BotCreation = z.infer<typeof BotCreation>;

export const BotFilesForm = z
  .strictObject({ files: z.array(BinaryFile).min(1), ...creation })
  .meta({ id: 'BotFilesForm' });
export type BotFilesForm = z.infer<typeof BotFilesForm>;

export const BotUrlsForm = z
  .strictObject({ urls: SourceList, ...creation, sync_every: SyncEvery.optional() })
  .meta({ id: 'BotUrlsForm' });
export type BotUrlsForm = z.infer<typeof BotUrlsForm>;

export const DocumentForm = z.strictObject({ file: BinaryFile }).meta({ id: 'DocumentForm' });
export type DocumentForm = z.infer<typeof DocumentForm>;

export const DocumentUrlForm = z.strictObject({ url: SourceText }).meta({ id: 'DocumentUrlForm' });
export type DocumentUrlForm = z.infer<typeof DocumentUrlForm>;
