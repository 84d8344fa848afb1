import type { Draft } from '../../drafts/draft.ts';
import type { MailHeaders } from '../../element.ts';
import { textDrafts } from '../plain/read-plain-text.ts';
import { htmlDrafts } from '../web/html-drafts.ts';

export interface MailBody {
  html?: string;
  text?: string;
}

/** The elements of a message. Each carries the headers, since elements may be separated later. */
export function* mailDrafts(headers: MailHeaders, body: MailBody): Generator<Draft> {
  const mail = Object.fromEntries(
    Object.entries(headers).filter(([, value]) => value !== undefined && value.length > 0),
  ) as MailHeaders;
  const drafts = body.html?.trim()
    ? htmlDrafts(body.html, { guessTitles: false })
    : [...textDrafts(body.text ?? '')];
  const shown = drafts.length > 0 ? drafts : [...textDrafts(body.text ?? '')];
  // A message without text still has a subject, and attachments to be named.
  if (shown.length === 0 && (mail.subject || mail.attachments)) {
    shown.push({ kind: 'Title', text: mail.subject ?? mail.attachments?.join(', ') ?? '', depth: 0 });
  }
  for (const draft of shown) yield { ...draft, mail };
}
