import type { Block, PlannedDocument, Section, Style } from './block.ts';
import { english } from './texts/english.ts';
import { russian } from './texts/russian.ts';
import { Writer } from './writer.ts';

const serif = { font: 'Liberation Serif', size: 11, justified: false, hyphens: false, indented: false };
const sans = { ...serif, font: 'Liberation Sans', size: 10 };
const book = { ...serif, font: 'DejaVu Serif', size: 9.5, justified: true, hyphens: true, indented: true };
const journal = { ...serif, size: 10, justified: true, hyphens: true };

const one = (...blocks: (Block | Block[])[]): Section => ({ columns: 1, blocks: blocks.flat() });
const two = (...blocks: (Block | Block[])[]): Section => ({ columns: 2, blocks: blocks.flat() });

interface Plan {
  style: Style;
  /** What repeats on each page; nothing by default. */
  running?: { header?: true; footer?: true; numbers?: true };
  write(writer: Writer): Section[];
}

const everything = { header: true, footer: true, numbers: true } as const;

/** The kinds of documents; each is written in every language. */
const plans: Record<string, Plan> = {
  essay: {
    style: serif,
    running: { numbers: true },
    write: (w) => [
      one(
        w.title(),
        w.paragraph(),
        w.heading(1),
        w.paragraphs(2),
        w.heading(2),
        w.paragraph(),
        w.list('bulleted'),
      ),
      one(w.heading(2), w.paragraphs(3), w.heading(1), w.paragraphs(4)),
    ],
  },
  journal: {
    style: journal,
    running: { header: true, numbers: true },
    write: (w) => [
      one(w.title(), w.paragraph(3)),
      two(
        w.heading(1),
        w.paragraphs(4),
        w.heading(2),
        w.paragraphs(4),
        w.heading(1),
        w.paragraphs(5),
        w.heading(2),
        w.paragraphs(4),
      ),
    ],
  },
  ruled: {
    style: sans,
    running: { footer: true },
    write: (w) => [
      one(
        w.title(),
        w.paragraph(),
        w.heading(1),
        w.seasons('ruled'),
        w.paragraph(),
        w.heading(1),
        w.staff('ruled'),
      ),
      one(w.paragraphs(2), w.stock('ruled', 9), w.paragraph()),
    ],
  },
  open: {
    style: serif,
    running: everything,
    write: (w) => [
      one(w.title(), w.paragraphs(2), w.staff('open'), w.paragraph(), w.heading(1), w.seasons('open', 8)),
      one(w.paragraph(), w.heading(1), w.paragraph(), w.stock('open', 7), w.paragraph()),
    ],
  },
  lined: {
    style: journal,
    write: (w) => [
      one(
        w.title(),
        w.paragraph(),
        w.heading(1),
        w.seasons('lined', 7),
        w.paragraphs(2),
        w.staff('lined'),
        w.paragraph(),
      ),
    ],
  },
  merged: {
    style: sans,
    running: { numbers: true },
    write: (w) => [
      one(w.title(), w.paragraph(), w.merged(), w.heading(1), w.paragraphs(2), w.merged(), w.paragraph()),
    ],
  },
  inventory: {
    style: sans,
    running: everything,
    write: (w) => [one(w.title(), w.paragraph(), w.stock('ruled', 62), w.heading(1), w.paragraphs(2))],
  },
  manual: {
    style: serif,
    running: { header: true, numbers: true },
    write: (w) => [
      one(w.title(), w.paragraph(2), w.heading(1, true), w.list('numbered', { count: 6 }), w.paragraph()),
      one(
        w.heading(2, true),
        w.paragraph(2),
        w.code(),
        w.paragraph(2),
        w.list('bulleted', { count: 6, levels: 3 }),
      ),
      one(
        w.heading(1, true),
        w.paragraph(),
        w.list('bulleted', { count: 4, levels: 1 }),
        w.heading(2, true),
        w.paragraphs(2),
      ),
    ],
  },
  annotated: {
    style: book,
    running: everything,
    write: (w) => [
      one(
        w.title(),
        w.annotated(),
        w.paragraph(),
        w.heading(1),
        w.annotated(),
        w.paragraphs(2),
        w.annotated(),
      ),
      one(w.paragraphs(3), w.heading(2), w.annotated(), w.paragraphs(3), w.annotated(), w.paragraphs(3)),
    ],
  },
  figures: {
    style: journal,
    running: { numbers: true },
    write: (w) => [
      one(w.title()),
      two(
        w.paragraphs(2),
        w.figure(),
        w.heading(1),
        w.paragraphs(3),
        w.list('bulleted', { count: 3, levels: 1 }),
        w.paragraph(),
        w.figure(),
        w.paragraphs(3),
      ),
    ],
  },
  contract: {
    style: { ...sans, size: 11 },
    running: { footer: true, numbers: true },
    write: (w) => [
      one(w.title(), w.paragraph(2), w.heading(1, true), w.clauses(3), w.heading(2, true), w.paragraphs(2)),
      one(
        w.heading(2, true),
        w.clauses(3),
        w.heading(1, true),
        w.paragraphs(2),
        w.seasons('ruled', 4),
        w.paragraph(),
      ),
    ],
  },
  newsletter: {
    style: { ...journal, font: 'DejaVu Sans', size: 8.5 },
    running: { header: true },
    write: (w) => [
      one(w.title(), w.paragraph(3)),
      two(w.heading(1), w.paragraphs(3), w.heading(1), w.paragraphs(2)),
      one(w.seasons('ruled', 5)),
      two(w.heading(1), w.paragraphs(2), w.list('numbered', { count: 3, levels: 1 }), w.paragraphs(2)),
    ],
  },
};

export function planDocuments(seed: string): PlannedDocument[] {
  return Object.entries(plans).flatMap(([kind, plan]) =>
    [english, russian].map((texts) => {
      const name = `${kind}-${texts.language}`;
      const writer = new Writer(`${seed} ${name}`, texts);
      const { header, footer, numbers } = plan.running ?? {};
      const running = {
        ...(header && { header: texts.running.header }),
        ...(footer && { footer: texts.running.footer }),
        ...(numbers && { numbers }),
      };
      return { name, language: texts.language, style: plan.style, running, sections: plan.write(writer) };
    }),
  );
}

/** Text alone, for measuring speed. */
export function planLongDocument(seed: string): PlannedDocument {
  const writer = new Writer(`${seed} long`, english);
  const blocks = Array.from({ length: 160 }, () => [
    writer.heading(1),
    ...writer.paragraphs(3),
    writer.heading(2),
    ...writer.paragraphs(2),
    ...writer.list('bulleted', { count: 3, levels: 1 }),
  ]).flat();
  return {
    name: 'long',
    language: 'eng',
    style: serif,
    running: { header: english.running.header, numbers: true },
    sections: [one(...blocks)],
  };
}
