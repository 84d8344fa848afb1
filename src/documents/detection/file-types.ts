const types = {
  pdf: ['application/pdf', 'pdf'],
  png: ['image/png', 'png'],
  jpeg: ['image/jpeg', 'jpg jpeg jpe'],
  tiff: ['image/tiff', 'tif tiff'],
  webp: ['image/webp', 'webp'],
  heic: ['image/heic', 'heic heif hif'],
  avif: ['image/avif', 'avif'],
  bmp: ['image/bmp', 'bmp'],
  gif: ['image/gif', 'gif'],
  docx: ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'docx docm dotx'],
  pptx: ['application/vnd.openxmlformats-officedocument.presentationml.presentation', 'pptx pptm ppsx potx'],
  xlsx: ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'xlsx xlsm xltx'],
  odt: ['application/vnd.oasis.opendocument.text', 'odt ott'],
  ods: ['application/vnd.oasis.opendocument.spreadsheet', 'ods ots'],
  odp: ['application/vnd.oasis.opendocument.presentation', 'odp otp'],
  epub: ['application/epub+zip', 'epub'],
  doc: ['application/msword', 'doc dot'],
  xls: ['application/vnd.ms-excel', 'xls xlt'],
  ppt: ['application/vnd.ms-powerpoint', 'ppt pps pot'],
  msg: ['application/vnd.ms-outlook', 'msg'],
  eml: ['message/rfc822', 'eml'],
  rtf: ['text/rtf', 'rtf'],
  html: ['text/html', 'html htm xhtml'],
  xml: ['application/xml', 'xml'],
  markdown: ['text/markdown', 'md markdown mdown'],
  rst: ['text/x-rst', 'rst'],
  json: ['application/json', 'json ndjson jsonl'],
  csv: ['text/csv', 'csv'],
  tsv: ['text/tab-separated-values', 'tsv tab'],
  text: ['text/plain', 'txt text log'],
} as const;

export type FileType = keyof typeof types;

const byExtension = new Map<string, FileType>();
const byMime = new Map<string, FileType>();
for (const [type, [mime, extensions]] of Object.entries(types)) {
  byMime.set(mime, type as FileType);
  for (const extension of extensions.split(' ')) byExtension.set(extension, type as FileType);
}

export const mimeOf = (type: FileType): string => types[type][0];

/** The type that the end of a file name stands for. */
export const typeOfName = (name: string): FileType | undefined =>
  byExtension.get(/\.([a-z0-9]{1,10})$/i.exec(name)?.[1]?.toLowerCase() ?? '');

export const typeOfMime = (mime: string | undefined): FileType | undefined =>
  byMime.get(mime?.split(';')[0]?.trim().toLowerCase() ?? '');
