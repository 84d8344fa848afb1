import { Refused } from '../../../platform/outgoing/answers/answer-problem.ts';
import type { Outgoing } from '../../../platform/outgoing/outgoing.ts';
import { fetchUpload } from '../api/fetch-file.ts';
import { createSystemApi } from '../api/system-api.ts';
import type { FetchedFile, Source, SourceItem } from '../source.ts';
import { createDriveAFiles, driveAProblem, exportTooLargeCode } from './drive-a-files.ts';
import { readDriveALink } from './drive-a-link.ts';
import { listDriveA, type ResourceKeys } from './list-drive-a.ts';
import { exportTypes } from './native-formats.ts';
import { createServiceAccount } from './service-account.ts';

interface DriveASettings {
  endpoint: string;
  credentials_path?: string | undefined;
}

interface DriveADescriptor {
  type: 'drive_a';
  url: string;
}

/** Google Drive, read by a service account. */
export function createDriveA(deps: {
  outgoing: Outgoing;
  settings: DriveASettings;
}): Source<DriveADescriptor> {
  const endpoint = deps.settings.endpoint.replace(/\/+$/, '');
  const isOfDrive = (url: URL) =>
    url.origin === new URL(endpoint).origin ||
    (url.protocol === 'https:' && /(?:^|\.)google(?:apis|usercontent)?\.com$/.test(url.hostname));
  const account = createServiceAccount(deps.outgoing, deps.settings.credentials_path);
  const apiWith = (keys: ResourceKeys) =>
    createSystemApi(deps.outgoing, {
      async credentials(signal) {
        const sent = [...keys].slice(-50).map(([id, key]) => `${id}/${key}`);
        return {
          authorization: `Bearer ${await account.token(signal)}`,
          ...(sent.length > 0 && { 'x-goog-drive-resource-keys': sent.join(',') }),
        };
      },
      trusted: isOfDrive,
      problemOf(answer) {
        if (answer.status === 401) account.forget();
        return driveAProblem(answer);
      },
      advice: 'the drive does not accept the service account (DRIVE_A_CREDENTIALS_PATH)',
    });

  return {
    async *list(descriptor, { signal }) {
      const link = readDriveALink(descriptor.url);
      const keys = keysOf(descriptor.url);
      yield* listDriveA(createDriveAFiles(apiWith(keys), endpoint, signal), link, keys);
    },
    async fetch(descriptor, item, options) {
      const [kind = '', id = ''] = item.id.split(':');
      const api = apiWith(new Map([...keysOf(descriptor.url), ...keysOf(item.url)]));
      const files = createDriveAFiles(api, endpoint, options.signal);
      const type = exportTypes.get(kind);
      if (!type) return fetchUpload(api, { name: item.name, url: files.contentUrl(id) }, options);
      try {
        return await fetchUpload(api, { name: item.name, url: files.exportUrl(id, type) }, options);
      } catch (error) {
        if (!(error instanceof Refused && error.code === exportTooLargeCode)) throw error;
        const { exportLinks } = await files.file(id, ',exportLinks');
        return fetchLarge(item, exportLinks?.[type]);
      }

      /** Exports of more than 10 MB have an address of their own, which takes the same token. */
      async function fetchLarge(large: SourceItem, url: string | undefined): Promise<FetchedFile> {
        if (!url || !URL.canParse(url) || !isOfDrive(new URL(url)))
          throw new Refused('the document is too large to be exported');
        return fetchUpload(api, { name: large.name, url }, options);
      }
    },
  };
}

function keysOf(address: string): ResourceKeys {
  try {
    const { id, resourceKey } = readDriveALink(address);
    return new Map(resourceKey ? [[id, resourceKey]] : []);
  } catch {
    return new Map();
  }
}
