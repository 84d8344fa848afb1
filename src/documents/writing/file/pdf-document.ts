import type { Face, Faces } from '../type/faces.ts';
import { type OutlineEntry, writeOutline } from './outline.ts';
import { linkAnnotation, PageCanvas, type PageSize } from './page-canvas.ts';
import { PdfFile, textString } from './pdf-file.ts';
import { UsedFace } from './used-face.ts';

export interface PdfPicture {
  jpeg: Uint8Array;
  width: number;
  height: number;
  grey: boolean;
}

/** Links beyond these are text only. */
const mostLinks = 5_000;
const noCompression = { packed: true };

/** A PDF file that is being written: pages, fonts, pictures, and an outline. */
export class PdfDocument {
  readonly pages: PageCanvas[] = [];
  readonly outline: OutlineEntry[] = [];
  readonly #file = new PdfFile();
  readonly #used = new Map<Face, { key: string; reference: string; face: UsedFace }>();
  readonly #pictures = new Map<PdfPicture, string>();
  readonly #faces: Faces;
  readonly #size: PageSize;

  constructor(faces: Faces, size: PageSize) {
    this.#faces = faces;
    this.#size = size;
  }

  addPage(): PageCanvas {
    const used = (face: Face) => this.#use(face);
    const page = new PageCanvas({ faces: this.#faces, used }, this.#size);
    this.pages.push(page);
    return page;
  }

  #use(face: Face): { key: string; face: UsedFace } {
    const known = this.#used.get(face);
    if (known) return known;
    const added = {
      key: `F${this.#used.size + 1}`,
      reference: this.#file.reserve(),
      face: new UsedFace(face),
    };
    this.#used.set(face, added);
    return added;
  }

  /** The reference by which pages draw a picture; it is stored once. */
  pictureOf(picture: PdfPicture): string {
    const known = this.#pictures.get(picture);
    if (known) return known;
    const { jpeg, width, height, grey } = picture;
    const reference = this.#file.addStream(
      `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /Device${grey ? 'Gray' : 'RGB'} ` +
        '/BitsPerComponent 8 /Filter /DCTDecode',
      jpeg,
      noCompression,
    );
    this.#pictures.set(picture, reference);
    return reference;
  }

  finish(title: string): Buffer {
    const file = this.#file;
    const tree = file.reserve();
    const fonts = [...this.#used.values()].map(({ key, reference }) => `/${key} ${reference}`).join(' ');
    let links = 0;
    const pages = this.pages.map((page) => {
      const annotations = page.links
        .slice(0, mostLinks - links)
        .map((area) => file.add(linkAnnotation(area)));
      links += annotations.length;
      const pictures = [...page.pictures].map(([reference, key]) => `/${key} ${reference}`).join(' ');
      return file.add(
        `<< /Type /Page /Parent ${tree} /MediaBox [0 0 ${this.#size.width} ${this.#size.height}] ` +
          `/Resources << /Font << ${fonts} >> /XObject << ${pictures} >> >> ` +
          `/Contents ${file.addStream('', Buffer.from(page.content))}` +
          `${annotations.length > 0 ? ` /Annots [${annotations.join(' ')}]` : ''} >>`,
      );
    });
    file.set(tree, `<< /Type /Pages /Kids [${pages.join(' ')}] /Count ${pages.length} >>`);
    [...this.#used.values()].forEach(({ face, reference }, at) => {
      face.write(file, reference, `ROUND${String.fromCharCode(65 + at)}`);
    });
    const outline = writeOutline(file, this.outline, { pages, height: this.#size.height });
    const catalog = file.add(
      `<< /Type /Catalog /Pages ${tree}${outline ? ` /Outlines ${outline} /PageMode /UseOutlines` : ''} ` +
        '/ViewerPreferences << /DisplayDocTitle true >> >>',
    );
    return file.finish(catalog, file.add(`<< /Title ${textString(title)} /Producer (Roundhouse) >>`));
  }
}
