import { Refused } from '../../../platform/outgoing/answers/answer-problem.ts';
import { fetchExport, fetchUpload } from '../api/fetch-file.ts';
import { createSystemApi, type SystemApi } from '../api/system-api.ts';
import { type Rendering, renderPage } from '../rendering/render-page.ts';
import { withPath } from '../rendering/with-path.ts';
import type { FetchedFile, FetchOptions, Source, SourceItem } from '../source.ts';
import { createExportHealth } from './export-health.ts';
import { listWiki, pathOf } from './list-wiki.ts';
import { createWikiContent } from './wiki-content.ts';
import { readWikiLink } from './wiki-link.ts';

interface WikiDescriptor {
  type: 'wiki';
  url: string;
  api_key: string;
}

/** Confluence Server and Data Center. Pages come as PDF: the server's own export, or else rendered here. */
export function createWiki({ outgoing, writer }: Rendering): Source<WikiDescriptor> {
  const health = createExportHealth();
  const apiOf = ({ api_key }: WikiDescriptor) =>
    createSystemApi(outgoing, {
      credentials: async () => ({ authorization: `Bearer ${api_key}` }),
      headers: { 'x-atlassian-token': 'no-check' },
      advice: 'the access token has expired or is mistyped',
    });

  async function fetchPage(
    api: SystemApi,
    base: string,
    item: SourceItem,
    options: FetchOptions,
  ): Promise<FetchedFile> {
    const id = item.id.slice('page:'.length);
    if (health.works(base)) {
      const address = `${base}/spaces/flyingpdf/pdfpageexport.action?pageId=${id}`;
      const path = [...item.path, item.title ?? ''].filter((step) => step !== '');
      const body = await fetchExport(api, address, options, (exported) =>
        withPath(writer, exported, path, options.signal),
      );
      health.note(base, body !== undefined);
      if (body) return { name: item.name, type: 'application/pdf', body };
    }
    const { title, body, ...page } = await createWikiContent(api, base, options.signal).withBody(id);
    const content = { title, path: pathOf({ title, ...page }), html: body?.export_view.value ?? '', base };
    return renderPage({ api, outgoing, writer }, { name: item.name, page: content }, options);
  }

  return {
    async *list(descriptor, { signal }) {
      const link = readWikiLink(descriptor.url);
      yield* listWiki(createWikiContent(apiOf(descriptor), link.base, signal), link);
    },
    async fetch(descriptor, item, options) {
      const { base } = readWikiLink(descriptor.url);
      const api = apiOf(descriptor);
      if (item.id.startsWith('page:')) return fetchPage(api, base, item, options);
      if (!item.url.startsWith(`${base}/`)) throw new Refused('the attachment is not part of the wiki');
      return fetchUpload(api, item, options);
    },
  };
}
