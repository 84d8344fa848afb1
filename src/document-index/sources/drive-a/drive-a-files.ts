import { z } from 'zod';
import {
  Gone,
  Refused,
  rateLimited,
  secondsToWait,
} from '../../../platform/outgoing/answers/answer-problem.ts';
import type { FailedAnswer } from '../../../platform/outgoing/outgoing.ts';
import type { SystemApi } from '../api/system-api.ts';

const File = z.object({
  id: z.string(),
  name: z.string(),
  mimeType: z.string(),
  modifiedTime: z.string().optional(),
  md5Checksum: z.string().optional(),
  size: z.coerce.number().optional(),
  webViewLink: z.string().optional(),
  resourceKey: z.string().optional(),
  trashed: z.boolean().optional(),
  capabilities: z
    .object({ canDownload: z.boolean().optional(), canListChildren: z.boolean().optional() })
    .optional(),
  exportLinks: z.record(z.string(), z.string()).optional(),
  shortcutDetails: z
    .object({
      targetId: z.string(),
      targetMimeType: z.string().optional(),
      targetResourceKey: z.string().optional(),
    })
    .optional(),
});
const FileList = z.object({
  files: z.array(File).default([]),
  nextPageToken: z.string().optional(),
  /** Some shared drives could not be searched. */
  incompleteSearch: z.boolean().optional(),
});
export type DriveAFile = z.output<typeof File>;

const fields =
  'id,name,mimeType,modifiedTime,md5Checksum,size,webViewLink,resourceKey,trashed,capabilities(canDownload,canListChildren),shortcutDetails';

/** Read access to the Drive API v3. */
export function createDriveAFiles(api: SystemApi, endpoint: string, signal: AbortSignal) {
  const root = `${endpoint}/drive/v3/files`;
  return {
    file: (id: string, more = '') =>
      api.json(
        File,
        `${root}/${id}?${new URLSearchParams({ fields: fields + more, supportsAllDrives: 'true' })}`,
        signal,
      ),
    async *inFolder(id: string): AsyncGenerator<DriveAFile> {
      const query = {
        q: `'${id}' in parents and trashed=false`,
        pageSize: '1000',
        fields: `nextPageToken,incompleteSearch,files(${fields})`,
        orderBy: 'name_natural',
        supportsAllDrives: 'true',
        includeItemsFromAllDrives: 'true',
        corpora: 'allDrives',
      };
      const seen = new Set<string>();
      let isIncomplete = false;
      for (let pageToken: string | undefined = ''; pageToken !== undefined; ) {
        if (seen.has(pageToken)) throw new Refused('the drive lists the same part of the folder again');
        seen.add(pageToken);
        const parameters = new URLSearchParams({ ...query, ...(pageToken !== '' && { pageToken }) });
        const list: z.output<typeof FileList> = await api.json(FileList, `${root}?${parameters}`, signal);
        yield* list.files;
        isIncomplete ||= list.incompleteSearch === true;
        pageToken = list.nextPageToken || undefined;
      }
      if (isIncomplete) throw new Refused('the drive could not list all of the folder');
    },
    contentUrl: (id: string) => `${root}/${id}?alt=media&supportsAllDrives=true`,
    exportUrl: (id: string, type: string) =>
      `${root}/${id}/export?${new URLSearchParams({ mimeType: type })}`,
  };
}

const Failure = z.object({
  error: z.object({ errors: z.array(z.object({ reason: z.string() })).default([]) }),
});

export const exportTooLargeCode = 'export_too_large';

/** The Drive API answers 403 for many reasons, of which some pass. */
export function driveAProblem({ status, headers, url, text }: FailedAnswer) {
  if (status === 404)
    return new Gone('the drive has no such file, or it is not shared with the service account');
  if (status !== 403) return undefined;
  const reasons = reasonsIn(text);
  if (
    reasons.some((reason) =>
      /^(?:userRateLimitExceeded|rateLimitExceeded|sharingRateLimitExceeded)$/.test(reason),
    )
  ) {
    return rateLimited(new URL(url).host, secondsToWait(headers));
  }
  if (reasons.includes('exportSizeLimitExceeded')) {
    return new Refused('the document is too large to be exported', { code: exportTooLargeCode });
  }
  if (reasons.includes('cannotDownloadFile')) return new Refused('the owner of the file forbids downloads');
  if (reasons.includes('dailyLimitExceeded'))
    return new Refused('the daily limit of requests to the drive is used up');
  return new Refused('the drive does not allow access');
}

function reasonsIn(text: string): string[] {
  try {
    return Failure.parse(JSON.parse(text)).error.errors.map(({ reason }) => reason);
  } catch {
    return [];
  }
}
