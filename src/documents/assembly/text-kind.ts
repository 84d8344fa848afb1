import type { ElementKind } from '../element.ts';
import type { TextBlock } from '../layout/page-content.ts';

const email = /^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$/;
const cityStateZip = /^(?:[\p{L}\d .#'-]+,\s*)*[\p{L} .'-]+,\s*[A-Z]{2},?\s+\d{5}(?:-\d{4})?$/u;
const postalAddress =
  /^(?:\d{6},?\s.*(?:ул\.|пр\.|просп|пер\.|наб\.|ш\.|д\.\s?\d)|.*(?:ул\.|просп|пер\.|наб\.).*\b\d{6})/u;
const caption =
  /^(?:fig(?:ure)?s?\.?|table|chart|listing|scheme|plate|рис(?:унок|\.)?|табл(?:ица|\.)?|схема|диаграмма|листинг)\s*№?\s*(?:[\d]+(?:[.-]\d+)*|[IVX]+)\s*(?:[.:—–)-]|$)/iu;
const mathSign = /[=+×÷∑∏∫√≤≥≈≠∞∂∇∈∉⊂∪∩∀∃→⇒⇔±·αβγδεζηθλμνξπρστφχψωΓΔΘΛΞΠΣΦΨΩ^]/gu;
const mathFont = /^(?:CM(?:MI|SY|EX)|.*math|symbol|.*MTSY|.*MTMI)/i;

/** The kind of a text block that is neither a heading nor a running line. */
export function textKind(block: TextBlock, text: string, beside: { drawing: boolean }): ElementKind {
  if (block.marker !== undefined) return 'ListItem';
  if (block.lines.every((line) => line.mono) && looksLikeCode(block, text)) return 'CodeSnippet';
  if (block.role === 'figure caption' || block.role === 'table caption') return 'FigureCaption';
  if (caption.test(text) && (beside.drawing || text.length < 250)) return 'FigureCaption';
  if (isFormula(block, text)) return 'Formula';
  if (email.test(text)) return 'EmailAddress';
  if (text.length < 150 && (cityStateZip.test(text) || postalAddress.test(text))) return 'Address';
  return isNarrative(text) ? 'NarrativeText' : 'UncategorizedText';
}

const looksLikeCode = (block: TextBlock, text: string) =>
  block.lines.length > 1 || /[{}();=<>]|^\$ |^#|^--/.test(text);

function isFormula(block: TextBlock, text: string): boolean {
  if (block.role === 'equation') return true;
  if (text.length > 160 || block.lines.length > 3) return false;
  const words = text.match(/\p{L}{4,}/gu)?.length ?? 0;
  const signs = text.match(mathSign)?.length ?? 0;
  if (mathFont.test(block.lines[0]?.font ?? '') && signs > 0 && words < 3) return true;
  return text.includes('=') && signs >= 2 && words <= 1 && !/[a-zа-яё]{3,}\s+[a-zа-яё]{3,}/i.test(text);
}

/** Sentences, or what is long enough to be prose; the rest is labels and fragments. */
function isNarrative(text: string): boolean {
  const words = text.match(/\p{L}+/gu)?.length ?? 0;
  if (words < 3) return false;
  return words >= 7 || /[.!?…:]["»”)]?$/.test(text);
}
