import PostalMime, { type Address } from 'postal-mime';
import type { Draft } from '../../drafts/draft.ts';
import { Unreadable } from '../../unreadable.ts';
import type { FormatInput } from '../format-input.ts';
import { readBytes } from '../read-text.ts';
import { mailDrafts } from './mail-drafts.ts';

export async function* readEml(input: FormatInput): AsyncGenerator<Draft> {
  const bytes = await readBytes(input);
  const email = await PostalMime.parse(bytes, {
    attachmentEncoding: 'arraybuffer',
    maxNestingDepth: 50,
  }).catch((error) => {
    throw new Unreadable('invalid', 'The message is damaged.', { cause: error });
  });
  const sent = new Date(email.date ?? '');
  yield* mailDrafts(
    {
      from: addresses(email.from ? [email.from] : []),
      to: addresses(email.to),
      cc: addresses(email.cc),
      subject: email.subject,
      sentAt: Number.isNaN(sent.getTime()) ? undefined : sent.toISOString(),
      attachments: email.attachments.map(({ filename }) => filename ?? '').filter(Boolean),
    },
    { html: email.html, text: email.text },
  );
}

function addresses(list: Address[] | undefined): string[] {
  return (list ?? []).flatMap((entry) =>
    entry.group
      ? addresses(entry.group)
      : entry.name
        ? `${entry.name} <${entry.address}>`
        : (entry.address ?? ''),
  );
}
