import { type Face, replacement } from '../type/faces.ts';
import { subsetFont } from '../type/subset-font.ts';
import type { PdfFile } from './pdf-file.ts';

/**
 * The characters of a face that a document uses. Each gets a number and a glyph of its own. A character that the font
 * lacks is shown by a replacement sign, but is still the character that readers extract, copy and search.
 */
export class UsedFace {
  readonly face: Face;
  readonly #codes = new Map<number, string>();
  readonly #glyphs = [0];
  readonly #characters = [replacement];

  constructor(face: Face) {
    this.face = face;
  }

  /** A string operand of the text operators. */
  encode(text: string): string {
    let codes = '';
    for (const letter of text) {
      const character = letter.codePointAt(0) ?? 0;
      codes += this.#codes.get(character) ?? this.#add(character);
    }
    return `<${codes}>`;
  }

  #add(character: number): string {
    const { font } = this.face;
    const code = this.#glyphs.length.toString(16).padStart(4, '0');
    this.#glyphs.push(font.glyphOf(character) || font.glyphOf(replacement));
    this.#characters.push(character);
    this.#codes.set(character, code);
    return code;
  }

  /** Writes the font with these characters. */
  write(file: PdfFile, reference: string, tag: string): void {
    const { font, name, look } = this.face;
    const scaled = (value: number) => Math.round((1000 * value) / font.unitsPerEm);
    const fontName = `${tag}+${name}`;
    const program = subsetFont(font, this.#glyphs);
    const data = file.addStream(`/Length1 ${program.length}`, program);
    // Symbolic: the glyphs are numbered by us.
    const flags = 4 + (look.mono ? 1 : 0) + (look.italic ? 64 : 0);
    const descriptor = file.add(
      `<< /Type /FontDescriptor /FontName /${fontName} /Flags ${flags} /FontBBox [${font.box.map(scaled).join(' ')}] ` +
        `/ItalicAngle ${look.italic ? -11 : 0} /Ascent ${scaled(font.ascent)} /Descent ${scaled(font.descent)} ` +
        `/CapHeight 729 /StemV ${look.bold ? 140 : 80} /FontFile2 ${data} >>`,
    );
    const widths = this.#glyphs.map((glyph) => scaled(font.advanceOf(glyph)));
    const descendant = file.add(
      `<< /Type /Font /Subtype /CIDFontType2 /BaseFont /${fontName} /FontDescriptor ${descriptor} ` +
        '/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /CIDToGIDMap /Identity ' +
        `/DW 600 /W [0 [${widths.join(' ')}]] >>`,
    );
    const unicode = file.addStream('', Buffer.from(unicodeMap(this.#characters)));
    file.set(
      reference,
      `<< /Type /Font /Subtype /Type0 /BaseFont /${fontName} /Encoding /Identity-H ` +
        `/DescendantFonts [${descendant}] /ToUnicode ${unicode} >>`,
    );
  }
}

const entriesPerBlock = 100;

function unicodeMap(characters: readonly number[]): string {
  const entries = characters.map((character, code) => {
    const text = Buffer.from(String.fromCodePoint(character), 'utf16le').swap16().toString('hex');
    return `<${code.toString(16).padStart(4, '0')}> <${text}>`;
  });
  const blocks: string[] = [];
  for (let at = 1; at < entries.length; at += entriesPerBlock) {
    const block = entries.slice(at, at + entriesPerBlock);
    blocks.push(`${block.length} beginbfchar\n${block.join('\n')}\nendbfchar`);
  }
  return `/CIDInit /ProcSet findresource begin
12 dict begin
begincmap
/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def
/CMapName /Adobe-Identity-UCS def
/CMapType 2 def
1 begincodespacerange
<0000> <ffff>
endcodespacerange
${blocks.join('\n')}
endcmap
CMapName currentdict /CMap defineresource pop
end
end
`;
}
