import { expect, it } from 'vitest';
import { readDriveALink } from './drive-a-link.ts';

const id = '1AbC_d-EfGhIjKlMnOpQrStUvWxYz012345';

it.each([
  `https://drive.google.com/file/d/${id}/view?usp=sharing`,
  `https://drive.google.com/file/d/${id}`,
  `https://drive.google.com/open?id=${id}`,
  `https://drive.google.com/uc?export=download&id=${id}`,
  `https://drive.google.com/drive/folders/${id}`,
  `https://drive.google.com/drive/u/1/folders/${id}?usp=drive_link`,
  `https://drive.google.com/drive/mobile/folders/${id}/`,
  `https://docs.google.com/document/d/${id}/edit#heading=h.1`,
  `https://docs.google.com/document/u/0/d/${id}/edit`,
  `https://docs.google.com/spreadsheets/d/${id}/edit#gid=0`,
  `https://docs.google.com/presentation/d/${id}`,
])('%s', (link) => expect(readDriveALink(link)).toEqual({ id, resourceKey: undefined }));

it('reads the resource key', () => {
  expect(readDriveALink(`https://drive.google.com/file/d/${id}/view?resourcekey=0-xyz`)).toEqual({
    id,
    resourceKey: '0-xyz',
  });
});

it.each([
  'https://drive.google.com/drive/my-drive',
  'https://drive.google.com/',
  'https://docs.google.com/document/d/',
  'https://drive.google.com/open?id=../../etc',
])('refuses %s', (link) => expect(() => readDriveALink(link)).toThrow(/no file or folder/));
