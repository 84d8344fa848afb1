import { type Command, Option } from 'commander';
import type { Strategy } from '../../documents/paged/paged-reader.ts';
import { processEnvironment } from '../../platform/config/environment.ts';
import type { Config } from '../../settings.ts';
import type { Format } from '../layout/format-file.ts';
import { pageRange, type WantedPages } from '../layout/page-range.ts';
import { positiveInteger } from '../terminal/arguments.ts';
import { type ConfigOptions, configFrom } from '../terminal/config-options.ts';

interface Options extends ConfigOptions {
  format?: Format;
  strategy: Strategy;
  languages?: string[];
  pages?: WantedPages;
  chunk?: 'basic' | 'by_title';
  maxCharacters?: number;
  coordinates?: boolean;
  output?: string;
  draw?: string;
}

const examples = `
Files are read on this machine; no platform has to run. Examples:
  roundhouse layout report.docx
  roundhouse layout *.pdf --output texts
  roundhouse layout scan.pdf --languages rus,eng --pages 3-7 --draw pages
  roundhouse layout book.epub --chunk by_title --max-characters 1500 --format json`;

export function register(program: Command): void {
  program
    .command('layout <files...>')
    .description('Read documents: print their elements as Markdown, HTML or JSON')
    .addOption(
      new Option('--format <format>', 'default: json in a pipe, else markdown').choices([
        'markdown',
        'html',
        'json',
      ]),
    )
    .addOption(
      new Option('--strategy <strategy>', 'how PDF files and pictures are read')
        .choices(['auto', 'fast', 'hi_res', 'ocr_only'])
        .default('auto'),
    )
    .option('--languages <codes>', 'comma-separated languages, such as rus,eng (default: detected)', codes)
    .option('--pages <range>', 'only these pages: 3, 3-7, 3- or -7', pageRange)
    .addOption(new Option('--chunk <strategy>', 'join elements to chunks').choices(['basic', 'by_title']))
    .option('--max-characters <number>', 'longest chunk (default: 500)', positiveInteger)
    .option('--coordinates', 'with --format json: where each element stands on its page')
    .option('--output <folder>', 'write a file per document into this folder')
    .option('--draw <folder>', 'write a picture of each page with the boxes of its elements (SVG)')
    .option('-c, --config <file>', 'configuration file with limits for documents')
    .option('--set <key=value...>', 'override any setting, such as documents.workers=2')
    .addHelpText('after', examples)
    .action(layout);
}

const codes = (text: string) =>
  text
    .split(/[,+]/)
    .map((code) => code.trim())
    .filter(Boolean);

async function layout(files: string[], options: Options): Promise<void> {
  const config = await configFrom(options);
  const settings = config.documents;
  const { runLayout } = await import('../layout/run-layout.ts');
  const { strategy, languages, pages, chunk, maxCharacters, output, draw } = options;
  const isPiped = output === undefined && !process.stdout.isTTY;
  const isComplete = await runLayout({
    settings,
    files,
    format: options.format ?? (isPiped ? 'json' : 'markdown'),
    reading: { strategy, languages, pages, models: await modelsFor(config, strategy) },
    chunking: chunk && { strategy: chunk, maxCharacters },
    coordinates: options.coordinates ?? false,
    output,
    draw,
  });
  if (!isComplete) process.exitCode = 1;
}

/** Only who asks for pages to be read as pictures waits for the download of the models. */
async function modelsFor(config: Config, strategy: Options['strategy']) {
  const { openLayoutModels } = await import('../../models/layout/open-layout-models.ts');
  const models = openLayoutModels({ config, environment: processEnvironment() });
  const present = models.find();
  if (present || (strategy !== 'hi_res' && strategy !== 'ocr_only')) return present;
  process.stderr.write('Downloading the layout models (24 MB) …\n');
  return models.fetch({ signal: AbortSignal.timeout(300_000) }).catch((error: Error) => {
    process.stderr.write(
      `The layout models can't be downloaded, so pages are read without them: ${error.message}\n`,
    );
    return undefined;
  });
}
