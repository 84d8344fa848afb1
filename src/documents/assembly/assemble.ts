import type { Draft } from '../drafts/draft.ts';
import { draftOf } from '../drafts/table-draft.ts';
import type { ElementKind, Region } from '../element.ts';
import type { PageContent, TextBlock } from '../layout/page-content.ts';
import { type BlockText, codeText, flowingText } from './block-text.ts';
import { type FlowBlock, flowOf } from './flow.ts';
import { type BodyLook, headingDepths, isHeading } from './headings.ts';
import { ListNesting } from './list-nesting.ts';
import { bodySizeOf, runningLines } from './running-lines.ts';
import { textKind } from './text-kind.ts';

interface Judged {
  flow: FlowBlock;
  kind: ElementKind;
  content: BlockText;
}

/** Stage two: the elements of a document, from all of its pages in order. They are numbered afterwards. */
export function assemble(pages: PageContent[]): Draft[] {
  const body = bodyOf(pages);
  const running = runningLines(pages, body.size);
  const judged = judge(flowOf(pages, running, body.size), body);
  const titles = judged.filter((one) => one.kind === 'Title');
  const depths = headingDepths(
    titles.map((one) => ({ block: one.flow.block as TextBlock, text: one.content.text })),
    body.scanned,
  );
  return draftsOf(judged, new Map(titles.map((one, index) => [one, depths[index] as number])));
}

function bodyOf(pages: PageContent[]): BodyLook {
  const size = bodySizeOf(pages);
  let [bold, all] = [0, 0];
  for (const { blocks } of pages)
    for (const block of blocks)
      if (block.type === 'text')
        for (const line of block.lines) {
          const length = line.runs.reduce((sum, run) => sum + run.text.length, 0);
          all += length;
          if (line.bold) bold += length;
        }
  const scanned = pages.filter((page) => page.source === 'ocr').length > pages.length / 2;
  return { size, bold: bold > 0.6 * all, scanned };
}

function judge(flow: FlowBlock[], body: BodyLook): Judged[] {
  const isDrawing = (one: FlowBlock | undefined) => one !== undefined && one.block.type !== 'text';
  const judged = flow.map((one, index): Judged => {
    const { block } = one;
    if (block.type === 'picture') return { flow: one, kind: 'Image', content: plain(block.text) };
    if (block.type === 'table')
      return { flow: one, kind: 'Table', content: plain(draftOf(block.table).text) };
    const content = flowingText(
      block.lines,
      // Boxes of tasks say whether they are done.
      /\d|[a-zа-я][.)]|[☐☑☒]/i.test(block.marker ?? '') ? block.marker : undefined,
    );
    if (one.running) return { flow: one, kind: one.running, content };
    if (isHeading(block, content.text, body)) return { flow: one, kind: 'Title', content };
    const kind = textKind(block, content.text, {
      drawing: isDrawing(flow[index - 1]) || isDrawing(flow[index + 1]),
    });
    return { flow: one, kind, content: kind === 'CodeSnippet' ? plain(codeText(block.lines)) : content };
  });
  return judged.filter((one) => one.content.text !== '' || one.kind === 'Image');
}

const plain = (text: string): BlockText => ({ text, links: [], emphasis: [] });

function draftsOf(judged: Judged[], depths: Map<Judged, number>): Draft[] {
  const nesting = new ListNesting();
  return judged.map((one) => {
    const { flow, kind, content } = one;
    const page = flow.regions[0]?.page;
    const draft: Draft = {
      ...(flow.block.type === 'table' ? draftOf(flow.block.table) : { kind, text: content.text }),
      regions: flow.joints ? placedRegions(flow, flow.joints, content.text) : flow.regions,
    };
    if (page !== undefined) draft.page = page;
    if (content.links.length > 0) draft.links = content.links;
    if (content.emphasis.length > 0) draft.emphasis = content.emphasis;
    if (kind === 'Title') draft.depth = depths.get(one) ?? 0;
    if (kind === 'ListItem') draft.depth = nesting.depthOf(placeOf(flow));
    else if (!flow.running) nesting.end();
    return draft;
  });
}

/** Says where in the text each part begins. Code is indented as a whole, so its parts can't be found. */
function placedRegions({ block, regions }: FlowBlock, joints: readonly number[], text: string): Region[] {
  return regions.map((region, index) => {
    const joint = joints[index - 1];
    if (joint === undefined || block.type !== 'text') return region;
    const rest = flowingText(block.lines.slice(joint)).text;
    return text.endsWith(rest) ? { ...region, start: text.length - rest.length } : region;
  });
}

function placeOf(flow: FlowBlock) {
  const block = flow.block as TextBlock;
  return {
    marker: block.marker ?? '',
    left: flow.regions[0]?.box.left ?? block.box.left,
    column: flow.column,
  };
}
