import { RichText, type RunStyle } from '../../../drafts/rich-text.ts';
import { child, childNodes, descendants, type MarkupNode } from '../../../markup/markup-node.ts';
import { formulaText } from '../formula.ts';
import type { Relationship } from '../relationships.ts';
import { isOn, type ParagraphStyle, value } from './styles.ts';

/** What a paragraph holds besides its text. */
export interface ParagraphParts {
  text: RichText;
  /** Text with its own line ends, for code. */
  plain: string;
  /** Page breaks before the first and after the last character. */
  breaksBefore: number;
  breaksAfter: number;
  images: string[];
  /** Paragraphs of text boxes. */
  boxes: MarkupNode[];
  formulas: string[];
  notes: string[];
}

export function readParagraph(
  node: MarkupNode,
  style: ParagraphStyle | undefined,
  links: ReadonlyMap<string, Relationship>,
): ParagraphParts {
  const parts: ParagraphParts = {
    text: new RichText(),
    plain: '',
    breaksBefore: 0,
    breaksAfter: 0,
    images: [],
    boxes: [],
    formulas: [],
    notes: [],
  };
  if (isOn(child(node, 'w:pPr', 'w:pageBreakBefore'))) parts.breaksBefore++;
  // Headings are bold by their style, which emphasises nothing in them.
  const own = style?.heading === undefined ? { bold: style?.bold, italic: style?.italic } : {};
  new Runs(parts, links).walk(node, own);
  return parts;
}

class Runs {
  readonly #parts: ParagraphParts;
  readonly #links: ReadonlyMap<string, Relationship>;
  /** The address of the field that is open, and whether its instruction is still being read. */
  #field: { instruction: string; url?: string; shown: boolean }[] = [];

  constructor(parts: ParagraphParts, links: ReadonlyMap<string, Relationship>) {
    this.#parts = parts;
    this.#links = links;
  }

  walk(node: MarkupNode, style: RunStyle): void {
    for (const it of childNodes(node)) this.#part(it, style);
  }

  #part(node: MarkupNode, style: RunStyle): void {
    switch (node.name) {
      case 'w:r':
        this.walk(node, this.#styleOf(node, style));
        return;
      case 'w:t':
        this.#add(node.children.join(''), style);
        return;
      case 'w:tab':
      case 'w:ptab':
        this.#add('\t', style);
        return;
      case 'w:cr':
        this.#add('\n', style);
        return;
      case 'w:noBreakHyphen':
        this.#add('-', style);
        return;
      case 'w:br':
        node.attributes['w:type'] === 'page' ? this.#pageBreak() : this.#add('\n', style);
        return;
      case 'w:lastRenderedPageBreak':
        this.#pageBreak();
        return;
      case 'w:hyperlink':
        this.walk(node, {
          ...style,
          url: this.#links.get(node.attributes['r:id'] ?? '')?.target ?? style.url,
        });
        return;
      case 'w:fldSimple':
        this.walk(node, { ...style, url: urlOf(node.attributes['w:instr'] ?? '') ?? style.url });
        return;
      case 'w:fldChar':
        this.#fieldMark(node.attributes['w:fldCharType']);
        return;
      case 'w:instrText': {
        const field = this.#field.at(-1);
        if (field) field.instruction += node.children.join('');
        return;
      }
      case 'w:footnoteReference':
      case 'w:endnoteReference':
        this.#parts.notes.push(
          `${node.name === 'w:footnoteReference' ? 'footnote' : 'endnote'} ${node.attributes['w:id']}`,
        );
        return;
      case 'm:oMathPara':
      case 'm:oMath':
        this.#formula(node, style);
        return;
      case 'w:drawing':
      case 'w:pict':
      case 'w:object':
        this.#drawing(node);
        return;
      case 'mc:AlternateContent':
        this.walk(child(node, 'mc:Choice') ?? child(node, 'mc:Fallback') ?? { ...node, children: [] }, style);
        return;
      case 'w14:checkbox':
        this.#add(child(node, 'w14:checked')?.attributes['w14:val'] === '1' ? '☑' : '☐', style);
        return;
      case 'w:del':
      case 'w:moveFrom':
      case 'w:pPr':
      case 'w:rPr':
      case 'w:sdtPr':
        return;
      default:
        this.walk(node, style);
        return;
    }
  }

  #add(text: string, style: RunStyle): void {
    const field = this.#field.at(-1);
    if (field && !field.shown) return;
    this.#parts.text.add(text, field?.url ? { ...style, url: field.url } : style);
    this.#parts.plain += text;
  }

  #styleOf(run: MarkupNode, style: RunStyle): RunStyle {
    const properties = child(run, 'w:rPr');
    if (!properties) return style;
    return {
      ...style,
      bold: isOn(child(properties, 'w:b')) ?? style.bold,
      italic: isOn(child(properties, 'w:i')) ?? style.italic,
      underline: isOn(child(properties, 'w:u')) ?? style.underline,
    };
  }

  #pageBreak(): void {
    if (this.#parts.text.isEmpty) this.#parts.breaksBefore++;
    else this.#parts.breaksAfter++;
  }

  #fieldMark(type: string | undefined): void {
    const field = this.#field.at(-1);
    if (type === 'begin') this.#field.push({ instruction: '', shown: false });
    else if (type === 'separate' && field) {
      field.shown = true;
      field.url = urlOf(field.instruction);
    } else if (type === 'end') this.#field.pop();
  }

  #formula(node: MarkupNode, style: RunStyle): void {
    const text = formulaText(node).trim();
    if (text === '') return;
    this.#parts.formulas.push(text);
    this.#add(text, style);
  }

  #drawing(node: MarkupNode): void {
    for (const box of descendants(node, 'w:txbxContent')) this.#parts.boxes.push(box);
    for (const name of ['wp:docPr', 'v:imagedata']) {
      for (const { attributes } of descendants(node, name)) {
        const text = attributes.descr || attributes.title || attributes['o:title'];
        if (text?.trim()) this.#parts.images.push(text.trim());
      }
    }
  }
}

const urlOf = (instruction: string): string | undefined =>
  /^\s*HYPERLINK\s+"([^"]+)"/i.exec(instruction)?.[1];
export const styleIdOf = (node: MarkupNode): string | undefined => value(child(node, 'w:pPr', 'w:pStyle'));
