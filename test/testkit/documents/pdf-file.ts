/** A PDF of the given objects, the first of which is the catalog. A stream is a pair of its dictionary and its bytes. */
export function pdfFile(objects: (string | [dictionary: string, bytes: Buffer | string])[]): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n')];
  const offsets: number[] = [];
  let size = parts[0]?.length ?? 0;
  const add = (content: Buffer | string) => {
    const bytes = Buffer.from(content as string);
    parts.push(bytes);
    size += bytes.length;
  };
  objects.forEach((object, index) => {
    offsets.push(size);
    add(`${index + 1} 0 obj\n`);
    if (typeof object === 'string') add(object);
    else {
      const bytes = Buffer.from(object[1] as string);
      add(`<< ${object[0]} /Length ${bytes.length} >>\nstream\n`);
      add(bytes);
      add('\nendstream');
    }
    add('\nendobj\n');
  });
  const start = size;
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  add(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}`);
  add(`trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`);
  return Buffer.concat(parts);
}

/** A page that shows a text in a font of the given objects, numbered from 5; the font itself is number 5. */
export const pdfWithFont = (font: Parameters<typeof pdfFile>[0], text = 'Text in a font'): Buffer =>
  pdfFile([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>',
    ['', `BT /F 20 Tf 20 100 Td (${text}) Tj ET`],
    ...font,
  ]);
