import { BadRequest } from '../../../contracts/problems.ts';

export interface DriveALink {
  id: string;
  /** Links from before 2021 need it. */
  resourceKey: string | undefined;
}

const inPath = /\/(?:folders|d|drive\/v3\/files)\/([A-Za-z0-9_-]{8,128})(?:\/|$)/;

/** The file or folder that a link to Google Drive, Docs, Sheets or Slides means. */
export function readDriveALink(address: string): DriveALink {
  const url = new URL(address);
  const resourceKey = url.searchParams.get('resourcekey') ?? undefined;
  const id = inPath.exec(url.pathname)?.[1] ?? url.searchParams.get('id');
  if (id && /^[A-Za-z0-9_-]{8,128}$/.test(id)) return { id, resourceKey };
  throw new BadRequest(
    'the link leads to no file or folder: use …/file/d/<id>, …/document/d/<id> or …/drive/folders/<id>',
  );
}
