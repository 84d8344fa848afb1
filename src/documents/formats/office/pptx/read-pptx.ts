import { openZipArchive, type ZipArchive } from '../../../containers/zip-archive.ts';
import type { Draft } from '../../../drafts/draft.ts';
import type { Region } from '../../../element.ts';
import { child, childNodes, descendants, type MarkupNode } from '../../../markup/markup-node.ts';
import { xmlNode } from '../../../markup/xml-nodes.ts';
import { Unreadable } from '../../../unreadable.ts';
import type { FormatInput } from '../../format-input.ts';
import { relationshipsOf } from '../relationships.ts';
import { isTitleShape, placeholderOf, shapeDrafts } from './shape.ts';

/** Office measures in 914,400ths of an inch. */
const unitsPerPoint = 12_700;

export async function* readPptx(input: FormatInput): AsyncGenerator<Draft> {
  const archive = await openZipArchive(input.path, input.mostBytes);
  try {
    const main = 'ppt/presentation.xml';
    const presentation = xmlNode(await archive.text(main), 'p:presentation');
    if (!presentation) throw new Unreadable('invalid', 'The file has no presentation in it.');
    const size = child(presentation, 'p:sldSz')?.attributes;
    const frame = { width: Number(size?.cx ?? 9_144_000), height: Number(size?.cy ?? 6_858_000) };
    const links = await relationshipsOf(archive, main);
    const ids = [...descendants(presentation, 'p:sldId')].map(({ attributes }) => attributes['r:id'] ?? '');
    for (const [index, id] of ids.entries()) {
      const part = links.get(id)?.target;
      if (part) yield* await slideDrafts(archive, part, index + 1, frame);
    }
  } finally {
    archive.close();
  }
}

interface PlacedShape {
  shape: MarkupNode;
  box?: Region['box'];
}

async function slideDrafts(
  archive: ZipArchive,
  part: string,
  page: number,
  frame: { width: number; height: number },
): Promise<Draft[]> {
  const slide = xmlNode(await archive.text(part), 'p:sld');
  const tree = child(slide, 'p:cSld', 'p:spTree');
  if (!tree) return [];
  const links = await relationshipsOf(archive, part);
  const drafts = inOrder([...shapesOf(tree)]).flatMap(({ shape, box }) => {
    const region = box && {
      page,
      box,
      pageWidth: frame.width / unitsPerPoint,
      pageHeight: frame.height / unitsPerPoint,
    };
    return shapeDrafts(shape, links).map((draft) => (region ? { ...draft, regions: [region] } : draft));
  });
  const notes = [...links.values()].find(({ type }) => type === 'notesSlide')?.target;
  const root = notes && xmlNode(await archive.text(notes), 'p:notes');
  const notesTree = root ? child(root, 'p:cSld', 'p:spTree') : undefined;
  for (const { shape } of notesTree ? shapesOf(notesTree) : []) {
    if (placeholderOf(shape) !== 'body') continue;
    for (const draft of shapeDrafts(shape, new Map()))
      drafts.push({ ...draft, kind: 'NarrativeText', depth: undefined });
  }
  const pageName = drafts.find(({ kind }) => kind === 'Title')?.text;
  return drafts.map((draft) => ({ ...draft, page, ...(pageName !== undefined && { pageName }) }));
}

function* shapesOf(tree: MarkupNode): Generator<PlacedShape> {
  for (const it of childNodes(tree)) {
    if (it.name === 'p:grpSp') yield* shapesOf(it);
    else if (it.name === 'mc:AlternateContent') {
      const content = child(it, 'mc:Choice') ?? child(it, 'mc:Fallback');
      if (content) yield* shapesOf(content);
    } else if (/^p:(?:sp|pic|graphicFrame)$/.test(it.name)) yield { shape: it, box: boxOf(it) };
  }
}

function boxOf(shape: MarkupNode): Region['box'] | undefined {
  const transform = child(shape, 'p:spPr', 'a:xfrm') ?? child(shape, 'p:xfrm');
  const [offset, extent] = [child(transform, 'a:off')?.attributes, child(transform, 'a:ext')?.attributes];
  if (!offset || !extent) return undefined;
  const [left, top] = [Number(offset.x) / unitsPerPoint, Number(offset.y) / unitsPerPoint];
  const box = {
    left,
    top,
    right: left + Number(extent.cx) / unitsPerPoint,
    bottom: top + Number(extent.cy) / unitsPerPoint,
  };
  return Object.values(box).every(Number.isFinite) ? box : undefined;
}

/** The title first, then from top to bottom. A placeholder without a position keeps its place in the file. */
function inOrder(shapes: PlacedShape[]): PlacedShape[] {
  const titles = shapes.filter(({ shape }) => isTitleShape(shape));
  const others = shapes.filter(({ shape }) => !isTitleShape(shape));
  if (others.every(({ box }) => box)) {
    others.sort(
      (one, other) =>
        (one.box?.top ?? 0) - (other.box?.top ?? 0) || (one.box?.left ?? 0) - (other.box?.left ?? 0),
    );
  }
  return [...titles, ...others];
}
