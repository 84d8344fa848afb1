const native = 'application/vnd.google-apps.';
export const folderType = `${native}folder`;
export const shortcutType = `${native}shortcut`;

export interface ExportFormat {
  type: string;
  ending: string;
}

const pdf: ExportFormat = { type: 'application/pdf', ending: '.pdf' };

/** What Google's own formats are exported as: PDF keeps the pages for citations, a workbook keeps the cells. */
const formats = new Map<string, ExportFormat>([
  [`${native}document`, pdf],
  [`${native}presentation`, pdf],
  [`${native}drawing`, pdf],
  [
    `${native}spreadsheet`,
    { type: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', ending: '.xlsx' },
  ],
]);

/** By the ending of the exported file, without its dot. */
export const exportTypes: ReadonlyMap<string, string> = new Map(
  [...formats.values()].map(({ ending, type }) => [ending.slice(1), type]),
);

export const isNative = (type: string): boolean => type.startsWith(native);
export const exportFormat = (type: string): ExportFormat | undefined => formats.get(type);
