/** Types that a browser shows without running anything. Everything else is downloaded. */
const shown = new Map([
  ['pdf', 'application/pdf'],
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['gif', 'image/gif'],
  ['webp', 'image/webp'],
  ['txt', 'text/plain; charset=utf-8'],
  ['md', 'text/plain; charset=utf-8'],
  ['csv', 'text/plain; charset=utf-8'],
  ['log', 'text/plain; charset=utf-8'],
  ['json', 'text/plain; charset=utf-8'],
]);

const downloaded = new Map([
  ['docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  ['pptx', 'application/vnd.openxmlformats-officedocument.presentationml.presentation'],
  ['odt', 'application/vnd.oasis.opendocument.text'],
  ['doc', 'application/msword'],
  ['rtf', 'application/rtf'],
  ['epub', 'application/epub+zip'],
  ['zip', 'application/zip'],
]);

export interface ServedType {
  type: string;
  /** Offered as a download instead of shown. */
  attached: boolean;
}

/** How a stored file is served, by its name. What it really contains does not matter: browsers are told not to look. */
export function servedType(name: string): ServedType {
  const ending = /\.([a-z0-9]{1,8})$/i.exec(name)?.[1]?.toLowerCase() ?? '';
  const type = shown.get(ending);
  if (type !== undefined) return { type, attached: false };
  return { type: downloaded.get(ending) ?? 'application/octet-stream', attached: true };
}
