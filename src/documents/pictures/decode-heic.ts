import { mkdir, readdir, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { runLimited } from '../programs/run-limited.ts';
import { Unreadable } from '../unreadable.ts';
import { checkPixels, pictureFacts, pixelLimit, usefulScale } from './picture-facts.ts';
import { image } from './sharp.ts';

export interface HeicInput {
  path: string;
  /** A folder for temporary files. It does not exist yet; the caller removes it, even if the worker was killed. */
  scratch: string;
}

/** A program that decodes HEVC, the video format inside HEIC: our packages leave it out because of its patents. */
export interface HeicProgram {
  name: string;
  args: string[];
  /** Its failure says nothing about the file, since it is often installed without a decoder. */
  mayLackDecoder?: boolean;
}

const [source, decoded] = ['picture.heic', 'decoded.jpg'];
const imageMagick = [`heic:${source}[0]`, '-quality', '95', `jpeg:${decoded}`];
const programs: HeicProgram[] = [
  { name: 'heif-dec', args: ['-q', '95', source, decoded] },
  { name: 'heif-convert', args: ['-q', '95', source, decoded] },
  { name: 'sips', args: ['-s', 'format', 'jpeg', '-s', 'formatOptions', '95', source, '--out', decoded] },
  { name: 'magick', args: imageMagick, mayLackDecoder: true },
  { name: 'convert', args: imageMagick, mayLackDecoder: true },
];
const limits = { memory: 2 ** 31, fileSize: 2 ** 28 };

/** Decodes an HEIC picture with a program of the system, to a file that can be opened as a picture. */
export async function decodeHeic(
  { path, scratch: folder }: HeicInput,
  choice: HeicProgram[] = programs,
): Promise<string> {
  const facts = await pictureFacts(path);
  checkPixels(facts);
  await mkdir(folder, { recursive: true });
  // The name of the file may mean something to a program; it gets a plain one.
  await symlink(resolve(path), join(folder, source));
  // AV1 under a general name of the container format.
  const readable = facts.compression === 'av1' ? source : await decodeBy(choice, folder);
  // The pixels are upright. Programs copy what the camera wrote about its own position, which would turn them again.
  const picture = join(folder, 'picture.png');
  const scale = usefulScale(facts);
  try {
    await image(join(folder, readable), { limitInputPixels: pixelLimit })
      .flatten({ background: '#fff' })
      .resize({ width: Math.ceil(facts.width * scale), withoutEnlargement: true })
      .png({ compressionLevel: 1 })
      .toFile(picture);
  } catch (error) {
    throw damaged(error);
  }
  return picture;
}

async function decodeBy(choice: HeicProgram[], folder: string): Promise<string> {
  for (const { name, args, mayLackDecoder } of choice) {
    try {
      if (!(await runLimited(name, args, { folder, limits }))) continue;
    } catch (error) {
      const said = (error as { stderr?: string }).stderr ?? '';
      if (mayLackDecoder || /plugin|unsupported|not supported/i.test(said)) continue;
      throw damaged(error);
    }
    // A file with several pictures makes decoded-1.jpg and so on; the first is read.
    const made = (await readdir(folder)).filter((file) => file.startsWith('decoded'));
    const first = made.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }))[0];
    if (first) return first;
  }
  throw new Unreadable(
    'no converter',
    'HEIC images are read with heif-dec, heif-convert, sips or ImageMagick, and none that decodes them is installed here. ' +
      'Save the image as JPEG, or install one (Debian: libheif-examples, and libheif-plugin-libde265 if there is such a package).',
  );
}

const damaged = (cause: unknown) => new Unreadable('invalid', 'The HEIC image is damaged.', { cause });
