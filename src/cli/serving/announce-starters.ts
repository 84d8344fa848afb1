import type { StarterEvent } from '../../models/catalog/bring-up-starters.ts';
import { type Output, ProgressLine } from '../terminal/progress-line.ts';

interface Usage {
  /** The address of the inference paths, up to `/v1`. */
  inference: string;
  /** The console's address, if it is served. */
  page: string | undefined;
  /** A shell expression for the key, if one is required. */
  key: string | undefined;
}

/** Prints the download and start of the starter models, and how to use them once they are ready. */
export function announceStarters(usage: Usage, out: Output): (event: StarterEvent) => void {
  const line = new ProgressLine(out);
  const print = (text: string) => {
    line.done();
    out.write(`${text}\n`);
  };
  return (event) => {
    switch (event.kind) {
      case 'progress':
        line.show(`${event.model}: ${event.file} from ${event.source}`, event.done, event.total);
        break;
      case 'waiting':
        print(`  ${event.model.title}: ${event.reason}`);
        break;
      case 'starting':
        print(`  Starting ${event.model.title} …`);
        break;
      case 'failed':
        print(
          `  ${event.model.title} could not be started: ${event.reason}\n  The rest of the platform works; the next start tries again.`,
        );
        break;
      case 'ready':
        print(
          event.model.task === 'llm'
            ? usageHint(usage, event.model.id)
            : `  ${event.model.title} is served as ${event.model.id}`,
        );
        break;
    }
  };
}

function usageHint({ inference, page, key }: Usage, model: string): string {
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello!' }] });
  const header = key ? ` -H "authorization: Bearer ${key}"` : '';
  const json = "-H 'content-type: application/json'";
  return [
    '',
    `  ${model} is ready. Try it:`,
    '    in the terminal   ./roundhouse chat',
    `    with curl         curl ${inference}/chat/completions ${json}${header} -d '${body}'`,
    ...(page ? [`    in a browser      ${page}`] : []),
    '    with documents    ./roundhouse create-bot <name> <folder>',
    '',
  ].join('\n');
}
