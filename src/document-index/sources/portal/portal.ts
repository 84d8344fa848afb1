import { Gone } from '../../../platform/outgoing/answers/answer-problem.ts';
import { fetchExport, fetchUpload } from '../api/fetch-file.ts';
import { createSystemApi } from '../api/system-api.ts';
import { type Rendering, renderPage } from '../rendering/render-page.ts';
import type { Source, SourceItem } from '../source.ts';
import { listPortal } from './list-portal.ts';
import { createPortalContent, inside } from './portal-content.ts';
import { readPortalLink } from './portal-link.ts';

interface PortalDescriptor {
  type: 'portal';
  url: string;
  login: string;
  password: string;
}

/** Jive. Documents come as PDF from the server itself, or else rendered here, as posts are. */
export function createPortal({ outgoing, writer }: Rendering): Source<PortalDescriptor> {
  const apiOf = ({ login, password }: PortalDescriptor) =>
    createSystemApi(outgoing, {
      credentials: async () => ({
        authorization: `Basic ${Buffer.from(`${login}:${password}`, 'utf8').toString('base64')}`,
      }),
      prefix: /^throw [^;]*;\s*/,
      advice: 'the login or the password is wrong',
    });
  return {
    async *list(descriptor, { signal }) {
      const link = readPortalLink(descriptor.url);
      yield* listPortal(createPortalContent(apiOf(descriptor), link.base, signal), link);
    },
    async fetch(descriptor, item, options) {
      const { base } = readPortalLink(descriptor.url);
      const api = apiOf(descriptor);
      const [kind = '', id = '', attachment] = item.id.split(':');
      const content = await createPortalContent(api, base, options.signal).content(id);
      if (kind === 'file') {
        const url = inside(base, content.binaryURL ?? missing(item));
        return fetchUpload(api, { name: item.name, url }, options);
      }
      if (kind === 'attachment') {
        const found = content.attachments.find((it) => it.id === attachment);
        const url = inside(base, found?.url ?? missing(item));
        return fetchUpload(api, { name: item.name, url }, options);
      }
      const page = kind === 'document' ? content.resources.html?.ref : undefined;
      const exported = page && (await fetchExport(api, `${inside(base, page)}.pdf`, options));
      if (exported) return { name: item.name, type: 'application/pdf', body: exported };
      const { subject: title, content: body } = content;
      const written = { title, path: item.path, html: body?.text ?? '', base };
      return renderPage({ api, outgoing, writer }, { name: item.name, page: written }, options);
    },
  };
}

function missing(item: SourceItem): never {
  throw new Gone(`the portal no longer has the file ${item.name}`);
}
