/** The picture of a page as a PNG file, or undefined for formats whose pages can't be drawn. Pages count from 1. */
export type PagePicture = (
  path: string,
  page: number,
  signal: AbortSignal,
) => Promise<Uint8Array | undefined>;

/** No reader draws pages yet, so boxes are drawn on white paper. A reader of PDF files gives its pictures here. */
export const pagePicture: PagePicture = async () => undefined;
