import type { Faces, Look } from '../type/faces.ts';

export interface Measured extends Look {
  size: number;
}

/** Width of text in points. */
export type Measure = (text: string, style: Measured) => number;

export const createMeasure =
  (faces: Faces): Measure =>
  (text, style) => {
    const wanted = faces.of(style);
    let width = 0;
    for (let at = 0; at < text.length; at++) {
      const character = text.codePointAt(at) ?? 0;
      if (character > 0xffff) at++;
      width += wanted.widthOf(character) ?? otherWidth(faces, character, style);
    }
    return (width * style.size) / 1000;
  };

function otherWidth(faces: Faces, character: number, style: Look): number {
  const face = faces.showing(character, style);
  return face.widthOf(character) ?? face.missingWidth;
}
